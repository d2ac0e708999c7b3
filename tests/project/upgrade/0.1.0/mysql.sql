/*M!999999\- enable the sandbox mode */ 

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;
DROP TABLE IF EXISTS `auth_group`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `auth_group` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `name` varchar(80) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `name` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `auth_group` DISABLE KEYS */;
/*!40000 ALTER TABLE `auth_group` ENABLE KEYS */;
DROP TABLE IF EXISTS `auth_group_permissions`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `auth_group_permissions` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `group_id` int(11) NOT NULL,
  `permission_id` int(11) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `auth_group_permissions_group_id_permission_id_0cd325b0_uniq` (`group_id`,`permission_id`),
  KEY `auth_group_permissio_permission_id_84c5c92e_fk_auth_perm` (`permission_id`),
  CONSTRAINT `auth_group_permissio_permission_id_84c5c92e_fk_auth_perm` FOREIGN KEY (`permission_id`) REFERENCES `auth_permission` (`id`),
  CONSTRAINT `auth_group_permissions_group_id_b120cbf9_fk_auth_group_id` FOREIGN KEY (`group_id`) REFERENCES `auth_group` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `auth_group_permissions` DISABLE KEYS */;
/*!40000 ALTER TABLE `auth_group_permissions` ENABLE KEYS */;
DROP TABLE IF EXISTS `auth_permission`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `auth_permission` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `name` varchar(50) NOT NULL,
  `content_type_id` int(11) NOT NULL,
  `codename` varchar(100) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `auth_permission_content_type_id_codename_01ab375a_uniq` (`content_type_id`,`codename`),
  CONSTRAINT `auth_permission_content_type_id_2f476e4b_fk_django_co` FOREIGN KEY (`content_type_id`) REFERENCES `django_content_type` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=44 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `auth_permission` DISABLE KEYS */;
INSERT INTO `auth_permission` VALUES (1,'Can add log entry',1,'add_logentry');
INSERT INTO `auth_permission` VALUES (2,'Can change log entry',1,'change_logentry');
INSERT INTO `auth_permission` VALUES (3,'Can delete log entry',1,'delete_logentry');
INSERT INTO `auth_permission` VALUES (4,'Can view log entry',1,'view_logentry');
INSERT INTO `auth_permission` VALUES (5,'Can add permission',2,'add_permission');
INSERT INTO `auth_permission` VALUES (6,'Can change permission',2,'change_permission');
INSERT INTO `auth_permission` VALUES (7,'Can delete permission',2,'delete_permission');
INSERT INTO `auth_permission` VALUES (8,'Can view permission',2,'view_permission');
INSERT INTO `auth_permission` VALUES (9,'Can add group',3,'add_group');
INSERT INTO `auth_permission` VALUES (10,'Can change group',3,'change_group');
INSERT INTO `auth_permission` VALUES (11,'Can delete group',3,'delete_group');
INSERT INTO `auth_permission` VALUES (12,'Can view group',3,'view_group');
INSERT INTO `auth_permission` VALUES (13,'Can add user',4,'add_user');
INSERT INTO `auth_permission` VALUES (14,'Can change user',4,'change_user');
INSERT INTO `auth_permission` VALUES (15,'Can delete user',4,'delete_user');
INSERT INTO `auth_permission` VALUES (16,'Can view user',4,'view_user');
INSERT INTO `auth_permission` VALUES (17,'Can add content type',5,'add_contenttype');
INSERT INTO `auth_permission` VALUES (18,'Can change content type',5,'change_contenttype');
INSERT INTO `auth_permission` VALUES (19,'Can delete content type',5,'delete_contenttype');
INSERT INTO `auth_permission` VALUES (20,'Can view content type',5,'view_contenttype');
INSERT INTO `auth_permission` VALUES (21,'Can add event',6,'add_event');
INSERT INTO `auth_permission` VALUES (22,'Can change event',6,'change_event');
INSERT INTO `auth_permission` VALUES (23,'Can delete event',6,'delete_event');
INSERT INTO `auth_permission` VALUES (24,'Can view event',6,'view_event');
INSERT INTO `auth_permission` VALUES (25,'Can add policy',7,'add_policy');
INSERT INTO `auth_permission` VALUES (26,'Can change policy',7,'change_policy');
INSERT INTO `auth_permission` VALUES (27,'Can delete policy',7,'delete_policy');
INSERT INTO `auth_permission` VALUES (28,'Can view policy',7,'view_policy');
INSERT INTO `auth_permission` VALUES (29,'Can add customer',8,'add_customer');
INSERT INTO `auth_permission` VALUES (30,'Can change customer',8,'change_customer');
INSERT INTO `auth_permission` VALUES (31,'Can delete customer',8,'delete_customer');
INSERT INTO `auth_permission` VALUES (32,'Can view customer',8,'view_customer');
INSERT INTO `auth_permission` VALUES (33,'Can count documents of a customer',8,'check_customer');
INSERT INTO `auth_permission` VALUES (34,'Can reset the priority of a customer',8,'reset_customer');
INSERT INTO `auth_permission` VALUES (35,'Can pin the priority of a customer',8,'pin_customer');
INSERT INTO `auth_permission` VALUES (36,'Can add counter',9,'add_counter');
INSERT INTO `auth_permission` VALUES (37,'Can change counter',9,'change_counter');
INSERT INTO `auth_permission` VALUES (38,'Can delete counter',9,'delete_counter');
INSERT INTO `auth_permission` VALUES (39,'Can view counter',9,'view_counter');
INSERT INTO `auth_permission` VALUES (40,'Can add decision',10,'add_documentdecision');
INSERT INTO `auth_permission` VALUES (41,'Can change decision',10,'change_documentdecision');
INSERT INTO `auth_permission` VALUES (42,'Can delete decision',10,'delete_documentdecision');
INSERT INTO `auth_permission` VALUES (43,'Can view decision',10,'view_documentdecision');
/*!40000 ALTER TABLE `auth_permission` ENABLE KEYS */;
DROP TABLE IF EXISTS `auth_user`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `auth_user` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `password` varchar(128) NOT NULL,
  `last_login` datetime(6) NOT NULL,
  `is_superuser` tinyint(1) NOT NULL,
  `username` varchar(30) NOT NULL,
  `first_name` varchar(30) NOT NULL,
  `last_name` varchar(30) NOT NULL,
  `email` varchar(75) NOT NULL,
  `is_staff` tinyint(1) NOT NULL,
  `is_active` tinyint(1) NOT NULL,
  `date_joined` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `username` (`username`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `auth_user` DISABLE KEYS */;
/*!40000 ALTER TABLE `auth_user` ENABLE KEYS */;
DROP TABLE IF EXISTS `auth_user_groups`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `auth_user_groups` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `user_id` int(11) NOT NULL,
  `group_id` int(11) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `auth_user_groups_user_id_group_id_94350c0c_uniq` (`user_id`,`group_id`),
  KEY `auth_user_groups_group_id_97559544_fk_auth_group_id` (`group_id`),
  CONSTRAINT `auth_user_groups_group_id_97559544_fk_auth_group_id` FOREIGN KEY (`group_id`) REFERENCES `auth_group` (`id`),
  CONSTRAINT `auth_user_groups_user_id_6a12ed8b_fk_auth_user_id` FOREIGN KEY (`user_id`) REFERENCES `auth_user` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `auth_user_groups` DISABLE KEYS */;
/*!40000 ALTER TABLE `auth_user_groups` ENABLE KEYS */;
DROP TABLE IF EXISTS `auth_user_user_permissions`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `auth_user_user_permissions` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `user_id` int(11) NOT NULL,
  `permission_id` int(11) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `auth_user_user_permissions_user_id_permission_id_14a6b632_uniq` (`user_id`,`permission_id`),
  KEY `auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm` (`permission_id`),
  CONSTRAINT `auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm` FOREIGN KEY (`permission_id`) REFERENCES `auth_permission` (`id`),
  CONSTRAINT `auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id` FOREIGN KEY (`user_id`) REFERENCES `auth_user` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `auth_user_user_permissions` DISABLE KEYS */;
/*!40000 ALTER TABLE `auth_user_user_permissions` ENABLE KEYS */;
DROP TABLE IF EXISTS `django_admin_log`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `django_admin_log` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `action_time` datetime(6) NOT NULL,
  `object_id` longtext DEFAULT NULL,
  `object_repr` varchar(200) NOT NULL,
  `action_flag` smallint(5) unsigned NOT NULL CHECK (`action_flag` >= 0),
  `change_message` longtext NOT NULL,
  `content_type_id` int(11) DEFAULT NULL,
  `user_id` int(11) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `django_admin_log_content_type_id_c4bce8eb_fk_django_co` (`content_type_id`),
  KEY `django_admin_log_user_id_c564eba6_fk_auth_user_id` (`user_id`),
  CONSTRAINT `django_admin_log_content_type_id_c4bce8eb_fk_django_co` FOREIGN KEY (`content_type_id`) REFERENCES `django_content_type` (`id`),
  CONSTRAINT `django_admin_log_user_id_c564eba6_fk_auth_user_id` FOREIGN KEY (`user_id`) REFERENCES `auth_user` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `django_admin_log` DISABLE KEYS */;
/*!40000 ALTER TABLE `django_admin_log` ENABLE KEYS */;
DROP TABLE IF EXISTS `django_content_type`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `django_content_type` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `name` varchar(100) NOT NULL,
  `app_label` varchar(100) NOT NULL,
  `model` varchar(100) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `django_content_type_app_label_model_76bd3d3b_uniq` (`app_label`,`model`)
) ENGINE=InnoDB AUTO_INCREMENT=11 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `django_content_type` DISABLE KEYS */;
INSERT INTO `django_content_type` VALUES (1,'','admin','logentry');
INSERT INTO `django_content_type` VALUES (2,'','auth','permission');
INSERT INTO `django_content_type` VALUES (3,'','auth','group');
INSERT INTO `django_content_type` VALUES (4,'','auth','user');
INSERT INTO `django_content_type` VALUES (5,'','contenttypes','contenttype');
INSERT INTO `django_content_type` VALUES (6,'','doc_priority','event');
INSERT INTO `django_content_type` VALUES (7,'','doc_priority','policy');
INSERT INTO `django_content_type` VALUES (8,'','doc_priority','customer');
INSERT INTO `django_content_type` VALUES (9,'','doc_priority','counter');
INSERT INTO `django_content_type` VALUES (10,'','doc_priority','documentdecision');
/*!40000 ALTER TABLE `django_content_type` ENABLE KEYS */;
DROP TABLE IF EXISTS `django_migrations`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `django_migrations` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `app` varchar(255) NOT NULL,
  `name` varchar(255) NOT NULL,
  `applied` datetime(6) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `django_migrations` DISABLE KEYS */;
INSERT INTO `django_migrations` VALUES (1,'contenttypes','0001_initial','2026-11-19 00:15:53.294575');
INSERT INTO `django_migrations` VALUES (2,'auth','0001_initial','2026-11-19 00:15:53.340124');
INSERT INTO `django_migrations` VALUES (3,'admin','0001_initial','2026-11-19 00:15:53.351348');
INSERT INTO `django_migrations` VALUES (4,'admin','0002_logentry_remove_auto_add','2026-11-19 00:15:53.354024');
INSERT INTO `django_migrations` VALUES (5,'admin','0003_logentry_add_action_flag_choices','2026-11-19 00:15:53.356634');
INSERT INTO `django_migrations` VALUES (6,'doc_priority','0001_initial','2026-11-19 00:15:53.422775');
/*!40000 ALTER TABLE `django_migrations` ENABLE KEYS */;
DROP TABLE IF EXISTS `doc_priority_counter`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `doc_priority_counter` (
  `customer_id` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `pending_documents` bigint(20) NOT NULL,
  `updated_at` bigint(20) DEFAULT NULL,
  `recovered_at` bigint(20) DEFAULT NULL,
  `pinned_priority` smallint(6) DEFAULT NULL,
  `pinned_until` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`customer_id`),
  KEY `doc_priority_counter_updated_at_11487c9e` (`updated_at`),
  KEY `doc_priority_counter_pinned` (`pinned_until`),
  CONSTRAINT `doc_priority_counter_customer_id_2a5058bb_fk_doc_prior` FOREIGN KEY (`customer_id`) REFERENCES `doc_priority_customer` (`key`),
  CONSTRAINT `doc_priority_counter_pending` CHECK (`pending_documents` between -1000000000 and 0),
  CONSTRAINT `doc_priority_counter_times` CHECK (`recovered_at` is null and `updated_at` is null or `recovered_at` is not null and `recovered_at` <= `updated_at` and `updated_at` is not null),
  CONSTRAINT `doc_priority_counter_pin` CHECK (`pinned_priority` is null and `pinned_until` is null or `pinned_priority` is not null and `pinned_priority` between 1 and 9 and `pinned_until` is not null)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `doc_priority_counter` DISABLE KEYS */;
INSERT INTO `doc_priority_counter` VALUES ('Dahlia',0,1740830400000000,1740830400000000,NULL,NULL);
INSERT INTO `doc_priority_counter` VALUES ('a.b_c~d:e@f-9',0,1740830400000000,1740830400000000,NULL,NULL);
INSERT INTO `doc_priority_counter` VALUES ('acme',-24,1740830400000001,1740830400000000,NULL,NULL);
INSERT INTO `doc_priority_counter` VALUES ('birch',-39,1740830400000000,1740830400000000,NULL,NULL);
INSERT INTO `doc_priority_counter` VALUES ('cedar',0,1741003200000000,1741003200000000,NULL,NULL);
INSERT INTO `doc_priority_counter` VALUES ('dahlia',-4,1740830460000000,1740830400000000,2,4070908800000000);
INSERT INTO `doc_priority_counter` VALUES ('floor',-1000000000,1740830400000000,1740830400000000,NULL,NULL);
INSERT INTO `doc_priority_counter` VALUES ('lapsed',0,NULL,NULL,3,1740834000000000);
/*!40000 ALTER TABLE `doc_priority_counter` ENABLE KEYS */;
DROP TABLE IF EXISTS `doc_priority_customer`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `doc_priority_customer` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `key` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `name` varchar(200) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `searched` varchar(265) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin GENERATED ALWAYS AS (concat_ws('',lcase(`key`),concat_ws('',' ',lcase(`name`)))) STORED,
  `policy_id` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `key` (`key`),
  KEY `doc_priority_custome_policy_id_196def57_fk_doc_prior` (`policy_id`),
  CONSTRAINT `doc_priority_custome_policy_id_196def57_fk_doc_prior` FOREIGN KEY (`policy_id`) REFERENCES `doc_priority_policy` (`id`),
  CONSTRAINT `doc_priority_customer_key` CHECK (`key` <> '' and !(`key` regexp cast('[^A-Za-z0-9._~:@-]' as char charset binary)))
) ENGINE=InnoDB AUTO_INCREMENT=14 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `doc_priority_customer` DISABLE KEYS */;
INSERT INTO `doc_priority_customer` VALUES (1,'acme','Acme',1795047353438562,'acme acme',NULL);
INSERT INTO `doc_priority_customer` VALUES (2,'birch','Birch & Söhne “🌲”',1795047353439356,'birch birch & söhne “🌲”',1);
INSERT INTO `doc_priority_customer` VALUES (3,'cedar','O\'Cedar 100 %',1795047353440165,'cedar o\'cedar 100 %',2);
INSERT INTO `doc_priority_customer` VALUES (4,'new','Never sent a document',1795047353440616,'new never sent a document',NULL);
INSERT INTO `doc_priority_customer` VALUES (5,'Dahlia','',1795047353441011,'dahlia ',NULL);
INSERT INTO `doc_priority_customer` VALUES (6,'dahlia','',1795047353441368,'dahlia ',NULL);
INSERT INTO `doc_priority_customer` VALUES (7,'a.b_c~d:e@f-9','',1795047353441794,'a.b_c~d:e@f-9 ',NULL);
INSERT INTO `doc_priority_customer` VALUES (8,'floor','',1795047353442187,'floor ',NULL);
INSERT INTO `doc_priority_customer` VALUES (9,'lapsed','Had a pin once',1795047353442991,'lapsed had a pin once',NULL);
/*!40000 ALTER TABLE `doc_priority_customer` ENABLE KEYS */;
DROP TABLE IF EXISTS `doc_priority_documentdecision`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `doc_priority_documentdecision` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `document` varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `pending_documents` bigint(20) NOT NULL,
  `priority` smallint(6) NOT NULL,
  `pinned` tinyint(1) NOT NULL,
  `reset` tinyint(1) NOT NULL,
  `policy` varchar(64) NOT NULL,
  `decided_at` bigint(20) NOT NULL,
  `resets_at` bigint(20) DEFAULT NULL,
  `customer_id` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `doc_priority_decision_once` (`customer_id`,`document`),
  KEY `doc_priority_documentdecision_decided_at_7ca96198` (`decided_at`),
  KEY `doc_priority_decision_newest` (`customer_id`,`decided_at` DESC),
  CONSTRAINT `doc_priority_documen_customer_id_173a26ac_fk_doc_prior` FOREIGN KEY (`customer_id`) REFERENCES `doc_priority_customer` (`key`),
  CONSTRAINT `doc_priority_decision_document` CHECK (`document` <> ''),
  CONSTRAINT `doc_priority_decision_priority` CHECK (`priority` between 1 and 9)
) ENGINE=InnoDB AUTO_INCREMENT=48 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `doc_priority_documentdecision` DISABLE KEYS */;
INSERT INTO `doc_priority_documentdecision` VALUES (1,'INV-2041',-24,9,0,0,'',1740830400000001,1740831900000001,'acme');
INSERT INTO `doc_priority_documentdecision` VALUES (2,'Lieferschein 0',0,1,0,0,'gold',1740830400000000,1740830400000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (3,'Lieferschein 1',-1,1,0,0,'gold',1740830400000000,1740830460000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (4,'Lieferschein 2',-2,1,0,0,'gold',1740830400000000,1740830520000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (5,'Lieferschein 3',-3,1,0,0,'gold',1740830400000000,1740830520000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (6,'Lieferschein 4',-4,1,0,0,'gold',1740830400000000,1740830580000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (7,'Lieferschein 5',-5,1,0,0,'gold',1740830400000000,1740830580000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (8,'Lieferschein 6',-6,1,0,0,'gold',1740830400000000,1740830580000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (9,'Lieferschein 7',-7,1,0,0,'gold',1740830400000000,1740830580000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (10,'Lieferschein 8',-8,1,0,0,'gold',1740830400000000,1740830640000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (11,'Lieferschein 9',-9,1,0,0,'gold',1740830400000000,1740830640000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (12,'Lieferschein 10',-10,1,0,0,'gold',1740830400000000,1740830640000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (13,'Lieferschein 11',-11,2,0,0,'gold',1740830400000000,1740830640000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (14,'Lieferschein 12',-12,3,0,0,'gold',1740830400000000,1740830640000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (15,'Lieferschein 13',-13,4,0,0,'gold',1740830400000000,1740830640000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (16,'Lieferschein 14',-14,5,0,0,'gold',1740830400000000,1740830640000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (17,'Lieferschein 15',-15,6,0,0,'gold',1740830400000000,1740830640000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (18,'Lieferschein 16',-16,7,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (19,'Lieferschein 17',-17,8,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (20,'Lieferschein 18',-18,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (21,'Lieferschein 19',-19,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (22,'Lieferschein 20',-20,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (23,'Lieferschein 21',-21,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (24,'Lieferschein 22',-22,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (25,'Lieferschein 23',-23,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (26,'Lieferschein 24',-24,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (27,'Lieferschein 25',-25,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (28,'Lieferschein 26',-26,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (29,'Lieferschein 27',-27,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (30,'Lieferschein 28',-28,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (31,'Lieferschein 29',-29,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (32,'Lieferschein 30',-30,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (33,'Lieferschein 31',-31,9,0,0,'gold',1740830400000000,1740830700000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (34,'Lieferschein 32',-32,9,0,0,'gold',1740830400000000,1740830760000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (35,'Lieferschein 33',-33,9,0,0,'gold',1740830400000000,1740830760000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (36,'Lieferschein 34',-34,9,0,0,'gold',1740830400000000,1740830760000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (37,'Lieferschein 35',-35,9,0,0,'gold',1740830400000000,1740830760000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (38,'Lieferschein 36',-36,9,0,0,'gold',1740830400000000,1740830760000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (39,'Lieferschein 37',-37,9,0,0,'gold',1740830400000000,1740830760000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (40,'Lieferschein 38',-38,9,0,0,'gold',1740830400000000,1740830760000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (41,'Lieferschein 39',-39,9,0,0,'gold',1740830400000000,1740830760000000,'birch');
INSERT INTO `doc_priority_documentdecision` VALUES (42,'księga/№ 7',0,1,0,0,'patient',1740830400000000,1740916800000000,'cedar');
INSERT INTO `doc_priority_documentdecision` VALUES (43,'next day',0,1,0,1,'patient',1741003200000000,1741089600000000,'cedar');
INSERT INTO `doc_priority_documentdecision` VALUES (44,'INV-2041',0,1,0,0,'',1740830400000000,1740831900000000,'a.b_c~d:e@f-9');
INSERT INTO `doc_priority_documentdecision` VALUES (45,'pinned',-4,2,1,0,'',1740830460000000,1740831960000000,'dahlia');
/*!40000 ALTER TABLE `doc_priority_documentdecision` ENABLE KEYS */;
DROP TABLE IF EXISTS `doc_priority_event`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `doc_priority_event` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `customer` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `kind` varchar(10) NOT NULL,
  `actor` varchar(254) NOT NULL,
  `reason` varchar(500) NOT NULL,
  `before` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`before`)),
  `after` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`after`)),
  `source` varchar(64) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `doc_priority_event_created_at_fb8fa75d` (`created_at`),
  KEY `doc_priority_event_customer` (`customer`,`created_at` DESC),
  KEY `doc_priority_event_of_kind` (`kind`,`created_at` DESC),
  CONSTRAINT `doc_priority_event_kind` CHECK (`kind` in ('reset','pin','unpin','policy','forget'))
) ENGINE=InnoDB AUTO_INCREMENT=13 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `doc_priority_event` DISABLE KEYS */;
INSERT INTO `doc_priority_event` VALUES (1,'','policy','','','{}','{\"policy\": \"gold\", \"reset_interval\": 600, \"recovery\": \"halving\", \"thresholds\": [-10, -11, -12, -13, -14, -15, -16, -17]}','',1795047353434289);
INSERT INTO `doc_priority_event` VALUES (2,'','policy','','','{}','{\"policy\": \"patient\", \"reset_interval\": 86400, \"recovery\": \"window\", \"thresholds\": [-2, -4, -6, -8, -10, -12, -14, -20]}','',1795047353435184);
INSERT INTO `doc_priority_event` VALUES (3,'','policy','','','{}','{\"policy\": \"unused\", \"reset_interval\": 10, \"recovery\": \"idle\", \"thresholds\": [-2, -4, -6, -8, -10, -12, -14, -20]}','',1795047353435865);
INSERT INTO `doc_priority_event` VALUES (4,'','policy','ops','Nobody has it','{\"policy\": \"unused\", \"reset_interval\": 10, \"recovery\": \"idle\", \"thresholds\": [-2, -4, -6, -8, -10, -12, -14, -20]}','{}','',1795047353437974);
INSERT INTO `doc_priority_event` VALUES (5,'dahlia','pin','ops','Contract','{\"pending_documents\": 0, \"priority\": 1}','{\"pending_documents\": 0, \"priority\": 2, \"pinned_priority\": 2, \"pinned_until\": \"2099-01-01T00:00:00.000000Z\"}','',1795047353452970);
INSERT INTO `doc_priority_event` VALUES (6,'cedar','pin','ops','','{\"pending_documents\": 0, \"priority\": 1}','{\"pending_documents\": 0, \"priority\": 9, \"pinned_priority\": 9, \"pinned_until\": \"2099-01-01T00:00:00.000000Z\"}','',1795047353454676);
INSERT INTO `doc_priority_event` VALUES (7,'cedar','unpin','ops','By mistake','{\"pending_documents\": 0, \"priority\": 9, \"pinned_priority\": 9, \"pinned_until\": \"2099-01-01T00:00:00.000000Z\"}','{\"pending_documents\": 0, \"priority\": 1}','admin',1795047353455758);
INSERT INTO `doc_priority_event` VALUES (8,'Dahlia','reset','ops','Import ran twice','{\"pending_documents\": 0, \"priority\": 1}','{\"pending_documents\": 0, \"priority\": 1}','',1740830400000000);
INSERT INTO `doc_priority_event` VALUES (9,'acme','policy','ops','Trial','{\"policy\": \"\", \"pending_documents\": 0, \"priority\": 1}','{\"policy\": \"gold\", \"pending_documents\": 0, \"priority\": 1}','',1795047353457846);
INSERT INTO `doc_priority_event` VALUES (10,'acme','policy','ops','Trial ended','{\"policy\": \"gold\", \"pending_documents\": 0, \"priority\": 1}','{\"policy\": \"\", \"pending_documents\": 0, \"priority\": 1}','',1795047353459158);
INSERT INTO `doc_priority_event` VALUES (11,'','policy','ops','Less patient','{\"policy\": \"patient\", \"reset_interval\": 86400, \"recovery\": \"window\", \"thresholds\": [-2, -4, -6, -8, -10, -12, -14, -20]}','{\"policy\": \"patient\", \"reset_interval\": 43200, \"recovery\": \"window\", \"thresholds\": [-2, -4, -6, -8, -10, -12, -14, -20]}','',1795047353460511);
INSERT INTO `doc_priority_event` VALUES (12,'gone','forget','ops','Left us','{\"policy\": \"\", \"pending_documents\": 0, \"priority\": 1, \"documents\": 2, \"events\": 0}','{}','',1795047353463157);
/*!40000 ALTER TABLE `doc_priority_event` ENABLE KEYS */;
DROP TABLE IF EXISTS `doc_priority_policy`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `doc_priority_policy` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `name` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  `reset_interval` bigint(20) NOT NULL,
  `recovery` varchar(7) NOT NULL,
  `threshold_1` int(11) NOT NULL,
  `threshold_2` int(11) NOT NULL,
  `threshold_3` int(11) NOT NULL,
  `threshold_4` int(11) NOT NULL,
  `threshold_5` int(11) NOT NULL,
  `threshold_6` int(11) NOT NULL,
  `threshold_7` int(11) NOT NULL,
  `threshold_8` int(11) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `name` (`name`),
  CONSTRAINT `doc_priority_policy_name` CHECK (`name` <> ''),
  CONSTRAINT `doc_priority_policy_interval` CHECK (`reset_interval` between 10 and 31536000),
  CONSTRAINT `doc_priority_policy_recovery` CHECK (`recovery` in ('idle','window','halving')),
  CONSTRAINT `doc_priority_policy_thresholds` CHECK (`threshold_1` <= 0 and `threshold_2` < `threshold_1` and `threshold_3` < `threshold_2` and `threshold_4` < `threshold_3` and `threshold_5` < `threshold_4` and `threshold_6` < `threshold_5` and `threshold_7` < `threshold_6` and `threshold_8` >= -1000000000 and `threshold_8` < `threshold_7`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

/*!40000 ALTER TABLE `doc_priority_policy` DISABLE KEYS */;
INSERT INTO `doc_priority_policy` VALUES (1,'gold',600,'halving',-10,-11,-12,-13,-14,-15,-16,-17);
INSERT INTO `doc_priority_policy` VALUES (2,'patient',43200,'window',-2,-4,-6,-8,-10,-12,-14,-20);
/*!40000 ALTER TABLE `doc_priority_policy` ENABLE KEYS */;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

