package files

import (
	"testing"
	"time"
)

func TestDatesInAllUsualForms(t *testing.T) {
	t.Parallel()
	for _, stated := range []string{
		"2024-03-02", "2024-3-2", "2024/03/02", "2024.03.02", "02.03.2024", "2.3.2024", "20240302", "2 March 2024", "2 Mar 2024", "March 2, 2024", "Mar 2, 2024",
		"2. March 2024", "Saturday, 2 March 2024", "Sat, 02 Mar 2024 00:00:00 GMT", "Sat, 2 Mar 2024 01:00:00 +0100", "2024-03-02T00:00:00Z", "2024-03-02T02:00:00+02:00",
		"2024-03-02T00:00", "2024-03-02 00:00", "2024-03-02 00:00:00", "2024-03-02 01:00:00 +0100", "2024-03-02 00:00:00 +0000 UTC", " 2024-03-02 ",
	} {
		m, _, err := splitMatter("---\nupdated: " + stated + "\n---\ntext")
		if want := time.Date(2024, 3, 2, 0, 0, 0, 0, time.UTC); err != nil || !m.updated.Equal(want) {
			t.Errorf("%q is read as %v, %v", stated, m.updated, err)
		}
	}
	for _, stated := range []string{"", "yesterday", "03/02/2024", "2024-02-30", "{a: b}", "[2024-03-02]", "true", "12345"} {
		if m, _, err := splitMatter("---\nupdated: " + stated + "\n---\ntext"); err != nil || !m.updated.IsZero() {
			t.Errorf("%q is read as %v, %v", stated, m.updated, err)
		}
	}
}
