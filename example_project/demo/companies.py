"""The invented companies whose documents the demo shows: the same ones at every start."""

from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from random import Random

FIRST_NUMBER = 1001
LARGE_COMPANIES = 8
MEDIUM_COMPANIES = 40
COMPANIES_PER_COUNTRY = 60

CONTRACT = "Priority contract"
STEADY = "Steady senders"


class Size(StrEnum):
    """How much a company sends."""

    LARGE = "large"
    MEDIUM = "medium"
    SMALL = "small"


@dataclass(frozen=True, slots=True)
class Company:
    """A client of the demo, before it is one."""

    key: str
    name: str
    size: Size
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class Country:
    """How companies of one country are called."""

    pattern: str
    places: tuple[str, ...]
    trades: tuple[str, ...]


COUNTRIES = (
    Country(
        "{place} {trade} Ltd",
        (
            *("Aldermoor", "Brindlecombe", "Cawderidge", "Drayholt", "Elmstow", "Farrowgate"),
            *("Glaisworth", "Halverdale", "Inglemere", "Kestrelby", "Larkhampton", "Marlowick"),
            *("Netherquay", "Otterfield", "Penhallam", "Quillmere", "Rooksbury", "Silverholt"),
            *("Thornwick", "Wexcombe"),
        ),
        ("Freight", "Dental Supplies", "Timber", "Housing", "Print Works", "Couriers", "Energy"),
    ),
    Country(
        "{place} {trade} GmbH",
        (
            *("Ahrensbeck", "Brombachtal", "Eichenlohe", "Falkenrode", "Grünstedt", "Hasselbruch"),
            *("Immenhorst", "Kranichsee", "Lärchenberg", "Mühlenrade", "Nordheide", "Osterfurt"),
            *("Quellenthal", "Rabenstedt", "Steinlohe", "Tannwinkel", "Ulmenhof", "Wacholder"),
            *("Wiesenbrück", "Zeiselfeld"),
        ),
        ("Logistik", "Medizintechnik", "Hausverwaltung", "Werkzeugbau", "Druck", "Reisen"),
    ),
    Country(
        "{trade} {place} S.L.",
        (
            *("Almendrosa", "Bellarroyo", "Campoclaro", "Doñamar", "Encinalta", "Fuentedulce"),
            *("Granjavieja", "Hontanilla", "Islarena", "Jarasol", "Lomaverde", "Montesclara"),
            *("Navalinda", "Olivareda", "Puertaluna", "Riofresco", "Sierranueva", "Torrevina"),
            *("Valdeoro", "Zarzalejos"),
        ),
        ("Transportes", "Seguros", "Alimentos", "Reformas", "Gestoría", "Viajes"),
    ),
    Country(
        "{place} {trade} Sp. z o.o.",
        (
            *("Borowin", "Cisowiec", "Dębogóra", "Grabolin", "Jasnobór", "Jodłowizna"),
            *("Kalinowiec", "Klonobrzeg", "Leszczynka", "Lipobór", "Modrzewie", "Olszanica"),
            *("Pszczelin", "Rosolin", "Sosnobrzeg", "Świerkowa", "Topolnik", "Wierzbnica"),
            *("Zielonobrzeg", "Żurawiniec"),
        ),
        ("Transport", "Meble", "Usługi Medyczne", "Budownictwo", "Drukarnia", "Ogrody"),
    ),
    Country(
        "{trade} {place} Lda.",
        (
            *("Amendoal", "Boaventinha", "Castanhosa", "Douradelha", "Figueirinha", "Giestal"),
            *("Horta Nova", "Jardinal", "Lagoverde", "Montalvinho", "Nogueirosa", "Oliveirinha"),
            *("Pinhalvo", "Quintarosa", "Ribeirosa", "Serradela", "Trevosa", "Urzelina"),
            *("Valverdinho", "Vinhalta"),
        ),
        ("Transportes", "Cerâmicas", "Seguros", "Conservas", "Clínicas", "Vinhos"),
    ),
)


def _names(country: Country, random: Random) -> list[str]:
    every = [
        country.pattern.format(place=place, trade=trade)
        for place in country.places
        for trade in country.trades
    ]
    return random.sample(every, COMPANIES_PER_COUNTRY)


def _size(rank: int) -> Size:
    if rank < LARGE_COMPANIES:
        return Size.LARGE
    return Size.MEDIUM if rank < LARGE_COMPANIES + MEDIUM_COMPANIES else Size.SMALL


def _policy(rank: int) -> str | None:
    """Two large and four medium ones have a contract; some small ones send steadily."""
    if rank in {2, 5} or rank in range(LARGE_COMPANIES, LARGE_COMPANIES + 4):
        return CONTRACT
    return STEADY if rank in range(100, 112) else None


def _invented() -> tuple[Company, ...]:
    random = Random("the companies of the demo")
    names = list(chain.from_iterable(_names(country, random) for country in COUNTRIES))
    random.shuffle(names)
    numbers = random.sample(range(FIRST_NUMBER, FIRST_NUMBER + len(names)), len(names))
    return tuple(
        Company(f"C{number}", name, _size(rank), _policy(rank))
        for rank, (number, name) in enumerate(zip(numbers, names, strict=True))
    )


COMPANIES = _invented()


def of_size(size: Size) -> tuple[Company, ...]:
    return tuple(company for company in COMPANIES if company.size == size)


FLOODING = of_size(Size.LARGE)[0]
"""Drops hundreds of documents at once just before the demo starts."""

HURRIED = of_size(Size.LARGE)[1]
"""Pinned to a good priority by hand."""

PATIENT = of_size(Size.MEDIUM)[-1]
"""Pinned to the last priority by hand."""

VISITED = of_size(Size.MEDIUM)[-2]
"""The company the user `client` works for; the live traffic leaves it alone."""
