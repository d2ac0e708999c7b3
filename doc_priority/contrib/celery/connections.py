"""How does a connection to a broker keep to a deadline?

Each class here is the usual one, but for sockets whose waits end in time (`deadline`).
"""

from importlib import import_module
from typing import Any

from amqp.transport import SSLTransport, TCPTransport
from kombu import Connection
from kombu.transport import pyamqp

from doc_priority.contrib.celery import deadline


class ConnectionInTime(Connection):  # type: ignore[misc]  # kombu has no types
    """Kombu's, to the broker; when it fails over, the same at the next address."""

    def get_transport_cls(self) -> type:
        usual: Any = super().get_transport_cls()
        if usual.driver_type == "amqp":
            return _AmqpTransport
        # Where there is no Redis the package need not be there.
        found: type = import_module(f"{__package__}.redis_connections").transport(usual)
        return found


class _AmqpInTime:
    """Py-amqp's transport of bytes; put before its class."""

    sock: Any
    connect_timeout: float | None

    def _connect(self, host: str, port: int, timeout: float | None) -> None:
        super()._connect(host, port, deadline.wait(timeout))  # type: ignore[misc]

    def _setup_transport(self) -> None:
        self.connect_timeout = deadline.wait(self.connect_timeout)  # in which TLS shakes hands
        super()._setup_transport()  # type: ignore[misc]
        self.sock = deadline.PatientSocket(self.sock)
        self._quick_recv, self._write = self.sock.recv, self.sock.sendall

    def _shutdown_transport(self) -> None:
        """Without the farewell of TLS: a broker that hangs would be waited for."""


class _TCP(_AmqpInTime, TCPTransport):  # type: ignore[misc]
    """Plain."""


class _TLS(_AmqpInTime, SSLTransport):  # type: ignore[misc]
    """Encrypted."""


class _AmqpConnection(pyamqp.Connection):  # type: ignore[misc]
    """Py-amqp's."""

    def Transport(  # noqa: N802  # py-amqp's name
        self,
        host: str,
        connect_timeout: float | None,
        ssl: Any = False,
        read_timeout: float | None = None,
        write_timeout: float | None = None,
        **kwargs: Any,
    ) -> Any:
        kwargs |= {"read_timeout": read_timeout, "write_timeout": write_timeout}
        kind = _TLS if ssl else _TCP
        return kind(host, connect_timeout=connect_timeout, ssl=ssl, **kwargs)


class _AmqpTransport(pyamqp.Transport):  # type: ignore[misc]
    """Kombu's; librabbitmq, which knows no time limit, is not used."""

    Connection = _AmqpConnection
