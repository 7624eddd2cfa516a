"""One view over the lists that django-universal-paginator can page, as JSON. The tables are those of the other Django peer."""

from django.db.models import F
from django.http import JsonResponse
from django.urls import path
from django_universal_paginator.cursor import CursorPaginator
from peer import models

tracks, students = models.Track.objects, models.GraduateStudent.objects


def track(row):
    return {"id": row.id, "name": row.name, "rating": row.rating}


def line(row):
    album = row.track.album
    return {"id": row.id, "quantity": row.quantity, "invoice": {"customer": {"name": row.invoice.customer.name}},
            "track": {"name": row.track.name, "album": {"title": album.title, "artist": {"name": album.artist.name}}}}


# For each list: the rows in their order, how many are on a page, and what is shown of one.
LISTS = {
    "Walk": lambda of: (tracks.order_by("id"), 100, lambda row: {"id": row.id, "name": row.name}),
    "Deep": lambda of: (tracks.order_by("id"), 10, track),
    "Ties": lambda of: (tracks.order_by("-rating", "-id"), 10, track),
    "Opposite": lambda of: (tracks.order_by("-rating", "id"), 10, track),
    "Mixed": lambda of: (
        tracks.order_by(F("year").desc(nulls_first=True), F("seconds").asc(nulls_last=True), "id"), 10,
        lambda row: {"id": row.id, "name": row.name, "year": row.year, "seconds": row.seconds}),
    "ToOne": lambda of: (
        models.InvoiceLine.objects.select_related("invoice__customer", "track__album__artist").order_by("id"), 50, line),
    "Filter": lambda of: (
        tracks.filter(album__artist__country=of["country"]).order_by("id"), 10, lambda row: {"id": row.id, "name": row.name}),
    "L8": lambda of: (
        students.order_by("age", "name", "id"), 10,
        lambda row: {"id": row.id, "telephone": row.telephone, "email": row.email}),
    "L10": lambda of: (
        models.Publication.objects.filter(title__contains=of["word"]).order_by("id"), 50,
        lambda row: {"id": row.id, "title": row.title, "abstract": row.abstract}),
    "L11": lambda of: (
        students.filter(university__id=of["id"]).order_by("id"), 50,
        lambda row: {"id": row.id, "advisor": {"id": row.advisor_id}}),
}


def page(request, name):
    queryset, size, shown = LISTS[name](request.GET)
    if "place" in request.GET:
        queryset = queryset.filter(id=request.GET["place"])
    found = CursorPaginator(queryset, size).page(request.GET.get("after") or None)
    rows = list(found.object_list)
    info = {"hasPreviousPage": found.has_previous(), "hasNextPage": found.has_next()}
    if name in ("L10", "L11"):
        del info["hasPreviousPage"]
    cursor = found.next_page_number() if rows else None
    return JsonResponse({"data": {"page": {"nodes": [shown(row) for row in rows], "pageInfo": info | {"endCursor": cursor}}}})


urlpatterns = [path("<str:name>", page)]
