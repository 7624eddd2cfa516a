"""Django for production: no debugging, connections that are kept, no middleware that a page of data does not need."""

import os
import warnings
from urllib.parse import unquote, urlsplit

from django.core.cache import CacheKeyWarning

url = urlsplit(os.environ["DATABASE_URL"])
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": url.hostname,
        "PORT": url.port or 5432,
        "USER": url.username,
        "PASSWORD": unquote(url.password or ""),
        "NAME": url.path.lstrip("/"),
        "CONN_MAX_AGE": None,
        "OPTIONS": {"sslmode": "disable"},
    }
}
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
SECRET_KEY = "a benchmark has no secrets"
INSTALLED_APPS = ["django_universal_paginator", "strawberry_django", "peer"]
ROOT_URLCONF = os.environ.get("URLS", "peer.urls")
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = True

# The cache of validated documents warns for memcached, which is not here.
warnings.simplefilter("ignore", CacheKeyWarning)
