"""How often somebody may try a password."""

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView


class WrongPasswords(SimpleRateThrottle):
    """So many wrong passwords may come from one address; each attempt is one until it was right."""

    scope = "wrong_passwords"
    rate = "10/min"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}

    def forget_attempt(self) -> None:
        history = self.cache.get(self.key, [])
        self.cache.set(self.key, [at for at in history if at != self.now], self.duration)  # type: ignore[attr-defined]  # not in the stubs
