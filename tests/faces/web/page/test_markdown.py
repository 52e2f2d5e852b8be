from __future__ import annotations

import pytest

from deedlog.faces.web.page.markdown import LONGEST, rendered

UID = "20250108T143512.237Z-A001"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# One\n### Three", "<h2>One</h2>\n<h3>Three</h3>"),
        ("a\nb\n\nc", "<p>a<br>b</p>\n<p>c</p>"),
        ("- a\n  more\n  - b", '<ul><li class="deep0">a more</li><li class="deep1">b</li></ul>'),
        ("1. a\n2. b", '<ol><li class="deep0">a</li><li class="deep0">b</li></ol>'),
        ("**bold** *em* _low_ `c<d`", "<p><b>bold</b> <em>em</em> <em>low</em> <code>c&lt;d</code></p>"),
        ("snake_case_name 2*3*4", "<p>snake_case_name 2*3*4</p>"),
        ("> said <b>", "<blockquote>said &lt;b&gt;</blockquote>"),
        ("```py\nx < 1\n", '<pre tabindex="0"><code>x &lt; 1</code></pre>'),
        ("---", "<hr>"),
        (r"\*not\* \_low\_ &lt;b&gt; &amp;amp; 1\. x", "<p>*not* _low_ &lt;b&gt; &amp;amp; 1. x</p>"),
        ("<!-- hidden\nmore -->shown", "<p>shown</p>"),
        (f"see {UID}", f'<p>see <a class="mono" href="/decision/{UID}">{UID}</a></p>'),
        (f"[{UID}]({UID}_x.md)", f'<p><a class="mono" href="/decision/{UID}">{UID}</a></p>'),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("# <img src=x onerror=y>", "<h2>&lt;img src=x onerror=y&gt;</h2>"),
    ],
)
def test_what_people_write_becomes_html_and_nothing_else_does(text: str, html: str) -> None:
    assert rendered(text) == html


def test_links_lead_to_the_web_and_cannot_be_left() -> None:
    assert 'href="https://a.example/&#34;&gt;&lt;b&gt;"' in rendered('[x](https://a.example/"><b>)')
    assert rendered("see https://a.example/b.").startswith('<p>see <a href="https://a.example/b"')


@pytest.mark.parametrize("text", ["`" * 9_000, "**a" * 9_000, "<!--" * 9_000, "# " + " " * 9_000 + "x", "[a" * 9_000])
def test_text_that_is_made_to_take_long_is_shown_as_it_is(text: str) -> None:
    assert len(text) > LONGEST
    assert rendered(text).startswith("<p>")
