"""What people, programs and attackers send or store: refused or harmless, whoever they are."""
