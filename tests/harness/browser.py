"""Opens a report in headless Chromium and uses it as a reader would; prints one JSON document.

Usage: browser.py REPORT.html CHROMIUM [SCREENSHOT.png]
"""

import json
import pathlib
import sys

from playwright.sync_api import sync_playwright


def column(page, table, number):
    cells = page.locator("table").nth(table).locator(f"tbody tr td:nth-child({number})")
    return cells.all_text_contents()


def sort_by(page, table, number):
    page.locator("table").nth(table).locator(f"th:nth-child({number})").click()
    return column(page, table, number)


MARKS = """figure => [...figure.querySelectorAll('svg title')].slice(0, 20).map(title => {
    const box = title.parentNode.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
})"""


def hover(page, figure):
    """Moves the pointer over the marks of a figure until one shows its row."""
    node = page.locator(f"#{figure}")
    node.scroll_into_view_if_needed()
    for x, y in node.evaluate(MARKS):
        page.mouse.move(x, y)
        tip = page.locator("#tip")
        if tip.is_visible():
            return tip.text_content()
    return None


def main():
    report, chromium = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    console, requests = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 900}, offline=True)
        page.on("console", lambda message: console.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: console.append(f"error: {error}"))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(report.as_uri())
        figures = page.locator("figure").evaluate_all("nodes => nodes.map(node => node.id)")
        result = {
            "title": page.title(),
            "console": console,
            "requests": [url for url in requests if not url.startswith(("file:", "data:"))],
            "figures": {figure: hover(page, figure) for figure in figures},
            "tables": page.locator("table").count(),
            "claims": [column(page, 0, 1), sort_by(page, 0, 1), sort_by(page, 0, 1)],
        }
        if len(sys.argv) > 3:
            page.mouse.move(0, 0)
            page.screenshot(path=sys.argv[3], full_page=True)
        browser.close()
    print(json.dumps(result))


main()
