"""The schema: Relay connections with cursors of values, and the optimiser, as the guides of Strawberry-Django have them."""

import strawberry
import strawberry_django
from django.db.models import Avg, Max, Min
from strawberry import auto, relay
from strawberry.extensions import ParserCache
from strawberry_django.extensions.django_validation_cache import DjangoValidationCache
from strawberry_django.optimizer import DjangoOptimizerExtension
from strawberry_django.relay import DjangoCursorConnection as Connection

from peer import filters, models


def number(name="id"):
    """The key as a number, beside the global id."""
    return strawberry_django.field(field_name=name)


def many():
    return strawberry_django.connection()


@strawberry_django.type(models.Artist)
class Artist(relay.Node):
    name: auto


@strawberry_django.type(models.Album, filters=filters.AlbumFilter)
class Album(relay.Node):
    number: int = number()
    title: auto
    artist: Artist
    tracks: Connection["Track"] = many()


@strawberry_django.type(models.Track, filters=filters.TrackFilter, ordering=filters.TrackOrder)
class Track(relay.Node):
    number: int = number()
    name: auto
    rating: auto
    year: auto
    seconds: auto
    album: Album


@strawberry_django.type(models.Playlist, filters=filters.PlaylistFilter)
class Playlist(relay.Node):
    number: int = number()
    name: auto
    tracks: Connection[Track] = many()


@strawberry_django.type(models.Customer)
class Customer(relay.Node):
    name: auto


@strawberry_django.type(models.Invoice)
class Invoice(relay.Node):
    customer: Customer


@strawberry_django.type(models.InvoiceLine, filters=filters.InvoiceLineFilter)
class InvoiceLine(relay.Node):
    number: int = number()
    quantity: auto
    invoice: Invoice
    track: Track


@strawberry_django.type(models.University)
class University(relay.Node):
    number: int = number()
    graduate_students: Connection["GraduateStudent"] = many()
    doctoral_faculties: Connection["Faculty"] = many()
    average_age: float = strawberry_django.field(annotate=Avg("graduate_students__age"))
    max_age: int = strawberry_django.field(annotate=Max("graduate_students__age"))
    min_age: int = strawberry_django.field(annotate=Min("graduate_students__age"))


@strawberry_django.type(models.Department)
class Department(relay.Node):
    number: int = number()
    university: University
    head: "Professor | None"


@strawberry_django.type(models.ResearchGroup)
class ResearchGroup(relay.Node):
    department: Department


@strawberry_django.type(models.Faculty, filters=filters.FacultyFilter)
class Faculty(relay.Node):
    number: int = number()
    email: auto
    doctoral_university: University
    department: Department
    publications: Connection["Publication"] = many()


@strawberry_django.type(models.Professor)
class Professor(relay.Node):
    number: int = number("faculty_id")
    faculty: Faculty


@strawberry_django.type(models.Lecturer)
class Lecturer(relay.Node):
    faculty: Faculty


@strawberry_django.type(models.GraduateCourse)
class GraduateCourse(relay.Node):
    number: int = number()


@strawberry_django.type(models.GraduateStudent, filters=filters.GraduateStudentFilter, ordering=filters.GraduateStudentOrder)
class GraduateStudent(relay.Node):
    number: int = number()
    telephone: auto
    email: auto
    advisor: Professor
    department: Department
    courses: Connection[GraduateCourse] = many()


@strawberry_django.type(models.Publication, filters=filters.PublicationFilter, ordering=filters.PublicationOrder)
class Publication(relay.Node):
    number: int = number()
    title: auto
    abstract: auto


@strawberry.type
class Query:
    albums: Connection[Album] = many()
    tracks: Connection[Track] = many()
    playlists: Connection[Playlist] = many()
    invoice_lines: Connection[InvoiceLine] = many()
    graduate_students: Connection[GraduateStudent] = many()
    publications: Connection[Publication] = many()
    university: University | None = strawberry_django.field()
    department: Department | None = strawberry_django.field()
    research_group: ResearchGroup | None = strawberry_django.field()
    faculty: Faculty | None = strawberry_django.field()
    lecturer: Lecturer | None = strawberry_django.field()


schema = strawberry.Schema(
    query=Query,
    extensions=[lambda: ParserCache(maxsize=1000), lambda: DjangoValidationCache(), DjangoOptimizerExtension],
)
