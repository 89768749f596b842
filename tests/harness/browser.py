"""Opens pages in headless Chromium and uses them as a reader would; prints one JSON document.

Usage: browser.py CHROMIUM PAGE.html... [--axe axe.min.js] [--shots FOLDER]

Every page is looked at in three widths, light and dark; axe-core, if it is at hand, checks it each time. A page
with claims, figures and rows is also used: sorted, hovered, zoomed, filtered.
"""

import argparse
import json
import pathlib
import time

from playwright.sync_api import sync_playwright

WIDTHS = {"phone": 390, "tablet": 820, "desk": 1400}
AXE = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.map(
    found => found.id + ": " + found.nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(" | "))"""
# twenty marks of rows from all over the figure, or the first of any kind
MARKS = """figure => {
    const titles = [...figure.querySelectorAll('svg title')];
    const rows = titles.filter(title => /^row /.test(title.textContent));
    const chosen = rows.length ? rows.filter((_, at) => at % Math.ceil(rows.length / 20) === 0) : titles.slice(0, 20);
    return chosen.map(title => {
        const box = title.parentNode.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2, rows.length > 0];
    });
}"""
UNFOLD = "document.querySelectorAll('details').forEach(part => { part.open = true; })"
# the last column of the first table, which has the verdicts: is all of it on the screen?
VERDICT = """() => {
    const cells = [...document.querySelectorAll('main table')[0].querySelectorAll('.v')];
    return cells.every(cell => { const box = cell.getBoundingClientRect(); return box.left >= 0 && box.right <= innerWidth + 1; });
}"""


def column(page, table, number):
    cells = page.locator("table").nth(table).locator(f"tbody tr td:nth-child({number})")
    return cells.all_text_contents()


def sort_by(page, table, number):
    head = page.locator("table").nth(table).locator(f"th:nth-child({number})")
    head.locator("button").click()
    return {"cells": column(page, table, number), "aria": head.get_attribute("aria-sort")}


def hover(page, figure):
    """What a mark shows below the pointer; nothing if one of a row does not show a row."""
    node = page.locator(f"figure#{figure}")
    page.evaluate("id => document.getElementById(id).scrollIntoView()", figure)
    shown = None
    for x, y, is_row in node.evaluate(MARKS):
        if not 0 <= y < page.viewport_size["height"]:
            continue
        page.mouse.move(x, y)
        tip = page.locator("#tip")
        text = tip.text_content() if tip.is_visible() else ""
        if is_row and not text.startswith("row "):
            return None
        shown = shown or text or None
    return shown


def opened(browser, path, console, requests, **how):
    page = browser.new_page(offline=True, **how)
    page.on("console", lambda message: console.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: console.append(f"error: {error}"))
    page.on("request", lambda request: requests.append(request.url))
    begin = time.monotonic()
    page.goto(path.as_uri(), wait_until="load")
    return page, time.monotonic() - begin


def look(browser, path, options):
    """The page as it is in every width, light and dark."""
    console, requests, violations, seconds, verdicts, wider = [], [], {}, [], {}, {}
    for width in WIDTHS:
        for scheme in ["light", "dark"]:
            view = {"width": WIDTHS[width], "height": 900}
            page, took = opened(browser, path, console, requests, viewport=view, color_scheme=scheme)
            seconds.append(took)
            if page.locator("main table .v").count():
                verdicts[width] = page.evaluate(VERDICT)
            if options.axe:
                page.evaluate(options.axe.read_text())
                for folded in ["as it opens", "unfolded"]:
                    found = page.evaluate(AXE)
                    if found:
                        violations[f"{width}, {scheme}, {folded}"] = found
                    page.evaluate(UNFOLD)
            # tables scroll within the page; the page itself does not
            page.evaluate(UNFOLD)
            beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if beyond > 0:
                wider[width] = beyond
            if options.shots:
                name = f"{path.parent.name}-{path.stem}-{width}-{scheme}.png"
                page.screenshot(path=str(options.shots / name), full_page=True)
            page.close()
    outside = [url for url in requests if not url.startswith(("file:", "data:"))]
    return {
        "console": console,
        "requests": outside,
        "violations": violations,
        "seconds": min(seconds),
        "verdicts_visible": verdicts,
        "wider": wider,
    }


def filter_rows(page):
    """Opens the rows, filters them, zooms a figure: the counts that are shown."""
    counts = {}
    page.evaluate("document.getElementById('rows-data').closest('details').open = true")
    page.wait_for_function("document.getElementById('rows-count').textContent !== ''")
    said = lambda: page.locator("#rows-count").text_content()
    counts["all"] = said()
    page.locator("#rows-backend").select_option(index=1)
    counts["one backend"] = said()
    counts["backends"] = sorted(set(page.locator("#rows-table tbody tr td:nth-child(2)").all_text_contents()))
    page.locator("#rows-backend").select_option(index=0)
    page.locator("#rows-number").fill("17")
    counts["row 17"] = said()
    page.locator("#rows-number").fill("")
    density = page.locator("figure#density")
    if density.count():
        for _ in range(3):
            density.locator(".tools button").first.click()
        page.wait_for_timeout(400)
        counts["density zoomed"] = said()
        density.get_by_text("next panel").click()
        counts["rulers of a panel"] = density.locator(".rulers text").count()
        for _ in range(5):
            density.locator(".tools button").first.click()
        counts["rulers"] = density.locator(".rulers text").all_text_contents()
        density.locator(".tools button").last.click()
        page.wait_for_timeout(400)
        counts["rulers of the whole"] = density.locator(".rulers").count()
    head = page.locator("#rows-table th").last
    head.locator("button").click()
    counts["fastest"] = page.locator("#rows-table tbody tr td:last-child").all_text_contents()[:3]
    head.locator("button").click()
    counts["slowest"] = page.locator("#rows-table tbody tr td:last-child").all_text_contents()[:3]
    figure = page.locator("figure#components")
    if not figure.count():
        return counts
    before = figure.locator("svg").get_attribute("viewBox")
    for _ in range(2):
        figure.locator(".tools button").first.click()
    page.wait_for_timeout(400)
    counts["zoomed"] = said()
    counts["zooms"] = before != figure.locator("svg").get_attribute("viewBox")
    figure.locator(".tools button").last.click()
    page.wait_for_timeout(400)
    counts["whole again"] = said()
    return counts


def use(browser, path):
    console, requests = [], []
    view = {"width": 1200, "height": 900}
    page, _ = opened(browser, path, console, requests, viewport=view)
    figures = page.locator("figure[id]").evaluate_all("nodes => nodes.map(node => node.id)")
    result = {
        "title": page.title(),
        "contents": page.locator("nav a").count(),
        "sections": page.locator("details").count(),
        "names": page.locator("figure svg").evaluate_all(
            "nodes => nodes.map(node => node.getAttribute('aria-label'))"
        ),
        "figures": {figure: hover(page, figure) for figure in figures},
        "tables": page.locator("table").count(),
    }
    # a page without claims begins with a table of rows that is folded
    if page.locator("table").count() and page.locator("table").first.is_visible():
        result["claims"] = [column(page, 0, 1), sort_by(page, 0, 1), sort_by(page, 0, 1)]
    if page.locator("#rows-data").count():
        result["rows"] = filter_rows(page)
    if page.locator("td figure").count():
        mark = page.locator("td figure").last.locator("svg circle").first
        mark.scroll_into_view_if_needed()
        mark.hover(force=True)
        result["sparkline"] = page.locator("#tip").text_content()
        if page.locator("td a").count():
            result["commit"] = page.locator("td a").first.get_attribute("href")
    result["console"] = console
    page.close()
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chromium")
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--axe", type=pathlib.Path)
    parser.add_argument("--shots", type=pathlib.Path)
    options = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
        seen = {}
        for path in options.pages:
            path = path.resolve()
            seen[str(path)] = look(browser, path, options) | {"used": use(browser, path)}
        browser.close()
    print(json.dumps(seen))


main()
