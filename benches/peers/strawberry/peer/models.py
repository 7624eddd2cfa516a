"""The tables of `schema.sql`. Django finds its own names for everything else."""

from django.db import models
from django.db.models import CASCADE, CharField, ForeignKey, IntegerField, ManyToManyField, OneToOneField


class Table(models.Model):
    id = IntegerField(primary_key=True)

    class Meta:
        abstract = True
        managed = False


def to(table, name, **options):
    return ForeignKey(table, CASCADE, related_name=name, **options)


def text():
    return CharField(max_length=200)


class Genre(Table):
    name = text()

    class Meta:
        managed, db_table = False, "genre"


class Artist(Table):
    name, country = text(), text()

    class Meta:
        managed, db_table = False, "artist"


class Album(Table):
    title, artist = text(), to(Artist, "albums")

    class Meta:
        managed, db_table = False, "album"


class Track(Table):
    name, album, genre = text(), to(Album, "tracks"), to(Genre, "tracks")
    rating, year, seconds = IntegerField(), IntegerField(null=True), IntegerField(null=True)

    class Meta:
        managed, db_table = False, "track"


class Playlist(Table):
    name = text()
    tracks = ManyToManyField(Track, related_name="playlists", through="PlaylistTrack")

    class Meta:
        managed, db_table = False, "playlist"


class PlaylistTrack(models.Model):
    pk = models.CompositePrimaryKey("playlist_id", "track_id")
    playlist, track = to(Playlist, "+"), to(Track, "+")

    class Meta:
        managed, db_table = False, "playlist_track"


class Customer(Table):
    name, country = text(), text()

    class Meta:
        managed, db_table = False, "customer"


class Invoice(Table):
    customer, cents = to(Customer, "invoices"), IntegerField()

    class Meta:
        managed, db_table = False, "invoice"


class InvoiceLine(Table):
    invoice, track, quantity = to(Invoice, "lines"), to(Track, "lines"), IntegerField()

    class Meta:
        managed, db_table = False, "invoice_line"


class University(Table):
    name = text()

    class Meta:
        managed, db_table = False, "university"


class Department(Table):
    name, university = text(), to(University, "departments")

    class Meta:
        managed, db_table = False, "department"


class ResearchGroup(Table):
    department = to(Department, "groups")

    class Meta:
        managed, db_table = False, "research_group"


class Faculty(Table):
    name, email = text(), text()
    undergraduate_university = to(University, "undergraduate_faculties")
    master_university = to(University, "master_faculties")
    doctoral_university = to(University, "doctoral_faculties")
    department = to(Department, "faculties")

    class Meta:
        managed, db_table = False, "faculty"


class Professor(models.Model):
    faculty = OneToOneField(Faculty, CASCADE, primary_key=True, related_name="professor")
    research_interest = text()
    headed_department = OneToOneField(Department, CASCADE, null=True, related_name="head")

    class Meta:
        managed, db_table = False, "professor"


class Lecturer(models.Model):
    faculty = OneToOneField(Faculty, CASCADE, primary_key=True, related_name="lecturer")

    class Meta:
        managed, db_table = False, "lecturer"


class GraduateCourse(Table):
    name, teacher = text(), to(Faculty, "graduate_courses")

    class Meta:
        managed, db_table = False, "graduate_course"


class GraduateStudent(Table):
    name, telephone, email, age = text(), text(), text(), IntegerField()
    university = to(University, "graduate_students")
    advisor = to(Professor, "graduate_students")
    department = to(Department, "graduate_students")
    courses = ManyToManyField(GraduateCourse, related_name="students", through="GraduateEnrolment")

    class Meta:
        managed, db_table = False, "graduate_student"


class GraduateEnrolment(models.Model):
    pk = models.CompositePrimaryKey("graduate_student_id", "graduate_course_id")
    graduate_student, graduate_course = to(GraduateStudent, "+"), to(GraduateCourse, "+")

    class Meta:
        managed, db_table = False, "graduate_enrolment"


class Publication(Table):
    title, abstract, author = text(), text(), to(Faculty, "publications")

    class Meta:
        managed, db_table = False, "publication"
