# Makes the files beside it: "pip install openpyxl==3.1.5 python-pptx==1.0.2 && python make.py", and then
# "soffice --headless --convert-to xlsx:'Calc MS Excel 2007 XML' --outdir calc budget.xlsx" and
# "soffice --headless --convert-to pptx:'Impress MS PowerPoint 2007 XML' --outdir impress launch.pptx" with LibreOffice 7.4, whose files are kept as
# budget-calc.xlsx and launch-impress.pptx: two writers that have nothing in common, one content.
import datetime

from openpyxl import Workbook
from openpyxl.styles import Font
from pptx import Presentation
from pptx.util import Inches

book = Workbook()
sheet = book.active
sheet.title = "Travel budget"
sheet["B2"] = "Budget of the Porto office"
for row in [["Team", "Lead", "Start", "Budget", "Used", "Approved"],
            ["Platform", "Ana Costa", datetime.date(2026, 3, 1), 12000.5, 0.425, True],
            ["Support", "Jörg Weiß", datetime.date(2026, 4, 15), 8000, 0.1, False]]:
    sheet.append([None] + row)
for cell in sheet[3]:
    cell.font = Font(bold=True)
for row in (4, 5):
    sheet.cell(row, 5).number_format = '#,##0.00 [$€-407]'
    sheet.cell(row, 6).number_format = "0.0%"
sheet["B7"] = "Reserve"
sheet["E7"] = "=SUM(E4:E5)"
sheet["B10"], sheet["C10"] = "City", "Hotel limit"
sheet["B11"], sheet["C11"] = "Porto", 140
sheet["B12"], sheet["C12"] = "Lisbon", 165
hours = book.create_sheet("Hours & shifts")
hours.append(["Shift", "Begins", "On call"])
hours.append(["early", datetime.time(6, 30), datetime.datetime(2026, 11, 2, 22, 0)])
hours.append(["late\nshift", datetime.time(14, 0), None])
book.create_sheet("Lookup").append(["secret of a formula", 1])
book["Lookup"].sheet_state = "hidden"
book.create_sheet("Empty")
book.properties.title = ""
book.save("budget.xlsx")

deck = Presentation()
first = deck.slides.add_slide(deck.slide_layouts[0])
first.shapes.title.text = "Launch of the Porto office"
first.placeholders[1].text = "All hands, March 2026"
second = deck.slides.add_slide(deck.slide_layouts[1])
second.shapes.title.text = "What is open"
body = second.placeholders[1].text_frame
body.text = "The lease starts on 1 March"
for level, text in [(1, "Keys are with Ana"), (0, "Parking is not included")]:
    p = body.add_paragraph()
    p.text, p.level = text, level
second.notes_slide.notes_text_frame.text = "Say that the lease was signed.\nAsk who needs a parking place."
third = deck.slides.add_slide(deck.slide_layouts[5])
third.shapes.title.text = "Costs"
table = third.shapes.add_table(3, 2, Inches(1), Inches(2), Inches(6), Inches(2)).table
for r, row in enumerate([("Item", "Euro"), ("Desks", "4,200"), ("Phones", "900")]):
    for c, text in enumerate(row):
        table.cell(r, c).text = text
third._element.set("show", "0")
fourth = deck.slides.add_slide(deck.slide_layouts[6])
fourth.shapes.add_textbox(Inches(1), Inches(1), Inches(4), Inches(1)).text_frame.text = "A box on a slide without a title"
deck.core_properties.title = "PowerPoint Presentation"
deck.save("launch.pptx")
