"""The views, one file each: its address and what it shows there."""

from deedlog.faces.web.page.views import now, thing, waiting

VIEWS = (now, thing, waiting)
