package spend

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Amount is an amount of money in billionths of a currency unit.
type Amount int64

// Unit is one whole unit of the currency.
const Unit Amount = 1_000_000_000

const decimals = 9

var errAmount = errors.New("is not an amount such as 5 or 0.25")

// ParseAmount parses a decimal number that is at least 0 and below a billion, such as "0.25". The
// text of the error can follow the name of a setting.
func ParseAmount(text string) (Amount, error) {
	whole, part, _ := strings.Cut(strings.TrimSpace(text), ".")
	if whole == "" && part == "" || len(whole) > decimals || len(part) > decimals || strings.Trim(whole+part, "0123456789") != "" {
		return 0, errAmount
	}
	n, err := strconv.ParseInt(whole+part+strings.Repeat("0", decimals-len(part)), 10, 64)
	if err != nil {
		return 0, errAmount
	}
	return Amount(n), nil
}

// Exact formats the amount with all digits and without trailing zeros, such as 0.0004 or 5.
func (a Amount) Exact() string {
	sign, n := "", uint64(a)
	if a < 0 {
		sign, n = "-", uint64(-a)
	}
	text := fmt.Sprintf("%s%d.%09d", sign, n/uint64(Unit), n%uint64(Unit))
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// String formats the amount for people. It has two decimals, or four if the amount is below 1.
func (a Amount) String() string {
	digits, step := 4, Unit/10_000
	if a <= -Unit || a >= Unit || a == 0 {
		digits, step = 2, Unit/100
	}
	if a > 0 && a < step {
		return "less than 0.0001"
	}
	return strconv.FormatFloat(math.Round(float64(a)/float64(step))*float64(step)/float64(Unit), 'f', digits, 64)
}

// MarshalJSON implements json.Marshaler. It writes a number with all its digits.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.Exact()), nil }

// perMillion returns the cost of tokens, rounded up. a is the price of a million tokens. If the
// cost is too large, perMillion returns the largest Amount.
func (a Amount) perMillion(tokens int) Amount {
	if tokens <= 0 || a <= 0 {
		return 0
	}
	const million = 1_000_000
	high, low := bits.Mul64(uint64(tokens), uint64(a))
	low, carry := bits.Add64(low, million-1, 0)
	if high += carry; high >= million {
		return math.MaxInt64
	}
	quotient, _ := bits.Div64(high, low, million)
	return Amount(min(quotient, math.MaxInt64))
}

// addCapped returns a + b, or the largest Amount if the sum would overflow. b must not be negative.
func (a Amount) addCapped(b Amount) Amount {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxInt64
}
