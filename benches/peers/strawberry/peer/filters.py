"""The filters and orders that the workloads use."""

import strawberry_django
from strawberry import auto

from peer import models


@strawberry_django.filter_type(models.Artist, lookups=True)
class ArtistFilter:
    id: auto
    country: auto


@strawberry_django.filter_type(models.Album, lookups=True)
class AlbumFilter:
    id: auto
    artist: ArtistFilter | None


@strawberry_django.filter_type(models.Genre, lookups=True)
class GenreFilter:
    id: auto


@strawberry_django.filter_type(models.Track, lookups=True)
class TrackFilter:
    id: auto
    album: AlbumFilter | None
    genre: GenreFilter | None


@strawberry_django.filter_type(models.Playlist, lookups=True)
class PlaylistFilter:
    id: auto


@strawberry_django.filter_type(models.InvoiceLine, lookups=True)
class InvoiceLineFilter:
    id: auto


@strawberry_django.filter_type(models.University, lookups=True)
class UniversityFilter:
    id: auto


@strawberry_django.filter_type(models.Department, lookups=True)
class DepartmentFilter:
    id: auto


@strawberry_django.filter_type(models.Faculty, lookups=True)
class FacultyFilter:
    id: auto
    department: DepartmentFilter | None


@strawberry_django.filter_type(models.Professor, lookups=True)
class ProfessorFilter:
    research_interest: auto


@strawberry_django.filter_type(models.GraduateStudent, lookups=True)
class GraduateStudentFilter:
    id: auto
    age: auto
    university: UniversityFilter | None
    advisor: ProfessorFilter | None


@strawberry_django.filter_type(models.Publication, lookups=True)
class PublicationFilter:
    title: auto


@strawberry_django.order_type(models.Track)
class TrackOrder:
    id: auto
    rating: auto
    year: auto
    seconds: auto


@strawberry_django.order_type(models.GraduateStudent)
class GraduateStudentOrder:
    id: auto
    age: auto
    name: auto


@strawberry_django.order_type(models.Publication)
class PublicationOrder:
    id: auto
    title: auto
