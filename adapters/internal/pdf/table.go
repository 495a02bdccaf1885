package pdf

import "strings"

type tableRow []string

// grid converts a zone to a table. A row with an empty first cell continues the row above.
func (z zone) grid() []tableRow {
	var out []tableRow
	for _, r := range z.rows {
		cells := make(tableRow, len(z.gutters)+1)
		for _, c := range r.cells {
			i := z.column(c)
			cells[i] = joinLines(cells[i], c.text, nil)
		}
		if cells[0] == "" && len(out) > 0 {
			last := out[len(out)-1]
			for i, c := range cells {
				if c != "" {
					last[i] = joinLines(last[i], c, nil)
				}
			}
			continue
		}
		out = append(out, cells)
	}
	return out
}

func (t tableRow) String() string {
	cells := make([]string, len(t))
	for i, c := range t {
		cells[i] = strings.Join(strings.Fields(strings.ReplaceAll(c, "\u00AD", "-")), " ")
	}
	return strings.Join(cells, " | ")
}
