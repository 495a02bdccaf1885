"""Writes the Word documents and workbooks of this folder. Needs python-docx and openpyxl."""

import datetime
import pathlib

import docx
import openpyxl

folder = pathlib.Path(__file__).parent / "documents"


def workbook(name, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(folder / name)


def document(name, title, *content):
    d = docx.Document()
    d.add_heading(title, 0)
    for block in content:
        if isinstance(block, str):
            if block.startswith("# "):
                d.add_heading(block[2:], 1)
            else:
                d.add_paragraph(block)
            continue
        table = d.add_table(rows=0, cols=len(block[0]))
        table.style = "Table Grid"
        for row in block:
            for cell, text in zip(table.add_row().cells, row):
                cell.text = str(text)
    d.save(folder / name)


day = datetime.date
workbook("price-list.xlsx", {
    "Boxes": [
        ["Item", "Dimensions (cm)", "Price (EUR)", "Pack of"],
        ["Small box", "20 x 15 x 10", 0.85, 50],
        ["Medium box", "40 x 30 x 20", 1.60, 25],
        ["Large box", "60 x 40 x 40", 2.95, 20],
        ["Bottle carton", "32 x 24 x 38", 3.40, 10],
        ["Poster tube", "80 x 8", 1.95, 25],
    ],
    "Shipping": [
        ["Zone", "Up to 2 kg", "Up to 10 kg", "Up to 30 kg", "Days"],
        ["Germany", 4.99, 8.49, 15.99, "1-2"],
        ["European Union", 11.99, 17.49, 29.90, "3-5"],
        ["Switzerland", 16.50, 24.00, 41.00, "3-6"],
        ["Overseas", 24.90, 49.00, 98.00, "8-14"],
    ],
})
workbook("inventory.xlsx", {
    "Laptops": [
        ["Asset tag", "Device", "Assigned to", "Bought", "Warranty until"],
        ["L-1041", "ThinkPad T14 Gen 3", "Ayse Demir", day(2022, 9, 12), day(2025, 9, 11)],
        ["L-1042", "MacBook Air M2", "Jonas Brandt", day(2023, 2, 3), day(2026, 2, 2)],
        ["L-1043", "ThinkPad T14 Gen 4", "Priya Raman", day(2023, 11, 20), day(2026, 11, 19)],
        ["L-1044", "Dell XPS 13", "Marta Kowalska", day(2021, 6, 1), day(2024, 5, 31)],
        ["L-1045", "MacBook Pro 14", "unassigned", day(2024, 1, 15), day(2027, 1, 14)],
    ],
    "Spare parts": [
        ["Part", "Shelf", "In stock", "Reorder below"],
        ["USB-C charger 65 W", "B2", 14, 5],
        ["HDMI adapter", "B3", 3, 6],
        ["Keyboard (German layout)", "C1", 8, 4],
        ["27-inch monitor", "D4", 2, 2],
    ],
})
document(
    "leave-2025.docx", "Leave 2025",
    "Days of paid leave by person, as of 1 June. Days that were carried over expire on 31 March.",
    [
        ["Employee", "Entitled", "Carried over", "Taken", "Left"],
        ["Ayse Demir", 30, 2, 11, 21],
        ["Jonas Brandt", 28, 0, 14, 14],
        ["Priya Raman", 30, 5, 9, 26],
        ["Marta Kowalska", 32, 1, 20, 13],
        ["Tom Okafor", 28, 3, 6, 25],
    ],
    "# Public holidays",
    [
        ["Holiday", "Date", "Office in Leipzig", "Office in Vienna"],
        ["Epiphany", "6 January", "open", "closed"],
        ["Labour Day", "1 May", "closed", "closed"],
        ["Reformation Day", "31 October", "closed", "open"],
        ["St Stephen's Day", "26 December", "closed", "closed"],
    ],
)
document(
    "meeting-rooms.docx", "Meeting rooms",
    "All rooms are booked in the calendar. Please leave them as you found them.",
    [
        ["Room", "Floor", "Seats", "Equipment"],
        ["Elbe", "1", "6", "screen"],
        ["Saale", "2", "12", "projector, whiteboard"],
        ["Mulde", "2", "4", "none"],
        ["Pleisse", "3", "20", "projector, video system"],
    ],
)
