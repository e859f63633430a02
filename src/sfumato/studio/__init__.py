"""The studio: all of Sfumato in a browser, on this machine alone.

Guarantee.  Before a release is charged, nothing that the studio answers depends on a record: the
names of columns are read from the header, and all else is typed.  Only `work` may open records.
Rooms.  `gate` lets in one browser, `application` knows the pages, `project` the folder, `draft`
what was typed, `forms` how it comes, `words` how things are said.

How a page is made.  One file in `pages/`, one template in `templates/`:

    # pages/promise.py
    def show(request: Request) -> Response:
        project = project_of(request)
        draft = project.dataset(request.path_params["dataset"])
        return page(request, "promise.html", step=3, draft=draft, title="Promise")

    def save(request: Request) -> Response:
        form = Form.of(request)              # urlencoded, bounded; text("epsilon"), flag("public")
        ...
        return to(f"/d/{draft.slug}/review")  # 303: a reload never sends a form twice

    ROUTES = [
        Route("/d/{dataset}/budget", show),
        Route("/d/{dataset}/budget", save, methods=["POST"]),
    ]

and `application` adds `promise.ROUTES` to its list.  Functions are plain ones and run in a thread,
beside the others; an `async def` is for what waits long (events).  What is refused is raised: a
`SfumatoError` becomes a page with its text, anything else a page with a number and no text.
A template begins `{% extends "layout.html" %}` and fills the block `main`; it gets `step` (1 to
5, for the line of steps), `draft` (for the summary of earlier choices) and `read` (the footer says
what of the data was read so far).  All must work without script; what script adds is named in
attributes (`static/studio.js`): `data-live`, `data-events`, `data-confirm`.  Styles and scripts
within a page are refused by the browser: they belong into `static/`.  What is typed goes into the
draft (`project.keep(draft)`), what it comes to into `schema.yaml` (`project.schema_path(slug)`);
`with project.ledger() as ledger` gives the ledger, or None while there is none.  A page that can
be seen before a release is charged is added to the journey of `tests/studio_journey.py`, which the
tests of twins and canaries walk, and to the pages of `tests/browser/test_studio.py`.
"""
