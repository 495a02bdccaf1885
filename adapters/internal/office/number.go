package office

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// days1900 and days1904 are day 0 of Excel's two date systems, in days since 1970-01-01. days1900
// is correct only from March 1900, because Excel has a 29 February in that year.
const (
	days1900 = -25569
	days1904 = -24107
)

// format is the display format of a number. Dates are always formatted as in ISO 8601, because
// "03/02/24" is ambiguous. Thousands separators are omitted, because a search would not find the
// number with them.
type format struct {
	date, clock   bool
	hours         bool // hours can exceed a day, as in "[h]:mm"
	percent       bool
	decimals      int  // number of decimals; -1: as many as there are
	optional      bool // trailing zeros are omitted
	before, after string
}

// builtIn returns the format code of a number format that is built into Excel (ECMA-376 part 1,
// 18.8.30).
func builtIn(id string) string {
	n, err := strconv.Atoi(id)
	switch {
	case err != nil || n <= 0:
		return "General"
	case n == 1, n == 3, n == 37, n == 38:
		return "0"
	case n == 2, n == 4, n == 39, n == 40:
		return "0.00"
	case n == 9:
		return "0%"
	case n == 10:
		return "0.00%"
	case n >= 14 && n <= 17, n >= 27 && n <= 31, n == 36, n >= 50 && n <= 54, n == 57, n == 58:
		return "yyyy-mm-dd"
	case n == 18, n == 19, n == 20, n == 21, n >= 32 && n <= 35, n == 45, n == 47, n == 55, n == 56:
		return "hh:mm"
	case n == 22:
		return "yyyy-mm-dd hh:mm"
	case n == 46:
		return "[h]:mm"
	default:
		return "General"
	}
}

// mostCode is the maximum length of a format code in bytes. Excel allows no longer code.
const mostCode = 1020

func formatOf(code string) format {
	f := format{decimals: -1}
	if code == "" || len(code) > mostCode || strings.EqualFold(code, "General") || code == "@" {
		return f
	}
	digits, point, month, as := false, false, false, false
	literal := func(text string) {
		if digits {
			f.after += text
		} else {
			f.before += text
		}
	}
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case ';':
			i = len(code)
		case '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				end = len(code) - i - 1
			}
			literal(code[i+1 : i+1+end])
			i += end + 1
		case '\\', '_', '*': // the next character is literal, a width, or a filler
			if c == '\\' && i+1 < len(code) {
				literal(code[i+1 : i+2])
			}
			i++
		case '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				return f.done(digits && !as, month)
			}
			switch inside := code[i+1 : i+end]; {
			case strings.HasPrefix(inside, "$"): // a currency with its country: "$€-407"
				symbol, _, _ := strings.Cut(inside[1:], "-")
				literal(symbol)
			case inside != "" && strings.Trim(strings.ToLower(inside), "hms") == "":
				f.hours, f.clock = true, true
			}
			i += end
		case '0', '#', '?':
			if !digits {
				digits, f.decimals = true, 0
			}
			if point {
				f.decimals++
				f.optional = f.optional || c != '0'
			}
		case '.':
			point = digits
		case ',', 'E', 'e', '/':
			// thousands, powers of ten and fractions: such a number is shown as stored
			if next := code[i+1:]; c != ',' || next == "" || !strings.ContainsRune("0#?", rune(next[0])) {
				as = digits
			}
		case '%':
			f.percent = true
		case 'y', 'Y', 'd', 'D':
			f.date = true
		case 'h', 'H', 's', 'S':
			f.clock = true
		case 'm', 'M':
			month = true
		case 'A', 'a': // AM/PM
			if strings.HasPrefix(strings.ToUpper(code[i:]), "AM/PM") {
				i += len("AM/PM") - 1
			}
		case '$':
			literal("$")
		default:
			if c >= 0x80 { // a byte of a character such as €
				literal(code[i : i+1])
			}
		}
	}
	return f.done(digits && !as, month)
}

func (f format) done(digits, month bool) format {
	if month && !f.clock {
		f.date = true
	}
	if f.date || f.clock {
		return format{date: f.date, clock: f.clock, hours: f.hours}
	}
	if !digits {
		return format{decimals: -1}
	}
	f.before, f.after = strings.TrimSpace(f.before), strings.TrimSpace(f.after)
	f.decimals = min(f.decimals, 15)
	return f
}

func (f format) number(stored string, from int) string {
	n, err := strconv.ParseFloat(stored, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return stored
	}
	if f.date || f.clock {
		if n < 0 || n > 2_958_465 { // the last day of 9999
			return stored
		}
		return f.day(n, from)
	}
	if f.percent {
		n *= 100
	}
	text := f.plain(n)
	if f.percent {
		return text + "%"
	}
	if f.before != "" {
		text = f.before + " " + text
	}
	if f.after != "" {
		text += " " + f.after
	}
	return text
}

// plain formats a number without prefix or suffix. If the format sets no number of decimals, it
// uses Excel's precision of 15 digits.
func (f format) plain(n float64) string {
	if f.decimals >= 0 && math.Abs(n) < 1e15 {
		text := strconv.FormatFloat(n, 'f', f.decimals, 64)
		if f.optional {
			text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
		}
		return text
	}
	if rounded, err := strconv.ParseFloat(strconv.FormatFloat(n, 'g', 15, 64), 64); err == nil {
		n = rounded
	}
	if n != 0 && (math.Abs(n) >= 1e15 || math.Abs(n) < 1e-9) {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

func (f format) day(n float64, from int) string {
	seconds := int64(math.Round(n * 86_400))
	if f.hours {
		return strconv.FormatInt(seconds/3600, 10) + ":" + twoDigits(seconds/60%60) + second(seconds%60)
	}
	clock := twoDigits(seconds/3600%24) + ":" + twoDigits(seconds/60%60) + second(seconds%60)
	if !f.date {
		return clock
	}
	if from == days1900 && seconds < 60*86_400 { // before 29 February 1900, which did not exist
		seconds += 86_400
	}
	date := time.Unix(seconds+int64(from)*86_400, 0).UTC().Format(time.DateOnly)
	if !f.clock {
		return date
	}
	return date + " " + clock
}

func twoDigits(n int64) string {
	if n < 10 {
		return "0" + strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10)
}

func second(n int64) string {
	if n == 0 {
		return ""
	}
	return ":" + twoDigits(n)
}
