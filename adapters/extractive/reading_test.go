package extractive_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/tool"
)

// What a document writes as tables, terms and lists is quoted as a reader of it would understand
// it.
func TestReadsDocuments(t *testing.T) {
	t.Parallel()
	hours := "Port Desk | 07:00–19:00 | 08:00–13:00 | closed\nHarbour kiosk | 09:00–21:00 | 09:00–21:00 | 10:00–18:00\nGuard room | always | always | always"
	tests := map[string]struct {
		question string
		contents string
		want     []string
		not      []string
	}{
		"an empty corner": {"When is the Port Desk open on Saturday?", "## Opening hours\n\n| Monday–Friday | Saturday | Sunday\n" + hours,
			[]string{"| Monday–Friday | Saturday | Sunday:\n\n- Port Desk | 07:00–19:00 | 08:00–13:00 | closed"}, []string{"kiosk"}},
		"an empty corner within bars": {"When is the Port Desk open on Saturday?",
			"## Opening hours\n\n| | Monday–Friday | Saturday | Sunday |\n|---|---|---|---|\n| " + strings.ReplaceAll(hours, "\n", " |\n| ") + " |",
			[]string{"| Monday–Friday | Saturday | Sunday:\n\n- Port Desk | 07:00–19:00 | 08:00–13:00 | closed"}, []string{"kiosk"}},
		"the whole row": {"What are the opening hours of the guard room?", "## Opening hours\n\n| Monday–Friday | Saturday | Sunday\n" + hours,
			[]string{"- Guard room | always | always | always"}, nil},
		"two columns, and a row that goes on": {"What are the visiting hours of ward 3?",
			"## Visiting hours\n\n| Monday–Friday | Weekend\nWard 2 | 14–16 | 10–12\nWard 3 | 15–17 | 11–13\n | or when agreed |",
			[]string{"- Ward 3 | 15–17 | 11–13"}, []string{"Ward 2"}},
		"values that are numbers": {"How many syringes are in stock?", "| minimum | stock\nBandage | 3 | 40\nSyringe | 1 | 900",
			[]string{"| minimum | stock:\n\n- Syringe | 1 | 900"}, []string{"Bandage", "40"}},
		"no head": {"May a shared database be read?",
			"UNLOCKED | No locks are held on the database. This is the default state.\nSHARED | The database may be read but not written, which several processes may do.",
			[]string{"- SHARED | The database may be read but not written"}, []string{"UNLOCKED"}},
		"an option": {"How many daily archives are kept by the prune command?",
			"- --keep-hourly\n  How many hourly archives survive a prune run of the tool.\n- --keep-daily\n  How many daily archives are kept by the prune command of the tool.",
			[]string{"- --keep-daily\n  How many daily archives are kept"}, nil},
		"an option with a value": {"How are archives compressed at a higher level?",
			"- --compress <level>\n  Archives are compressed at this level; a higher one takes longer.", []string{"- --compress `<level>`\n  Archives are"}, nil},
		"two names of an option": {"Show what would be deleted and change nothing",
			"- --dry-run\n- -n\n  Only shows what would be deleted, and changes nothing at all.", []string{"- --dry-run\n- -n\n  Only shows"}, nil},
		"the other name of an option": {"What does --dry-run do?",
			"- --force\n  Deletes at once.\n- --dry-run\n- -n\n  Only shows what would be deleted, and changes nothing at all.", []string{"- --dry-run\n- -n\n  Only shows"}, nil},
		"an option as a heading": {"How do I merge histories that do not share a common ancestor?",
			"## --allow-unrelated-histories\n\nBy default, the merge of histories that do not share a common ancestor is refused. This option can be used to override this safety.",
			[]string{"**Handbook › --allow-unrelated-histories** [1]\n\nBy default, the merge", "This option can be used"}, nil},
		"an option in a table": {"How many daily archives are kept?",
			"--keep-hourly | How many hourly ones survive\n--keep-daily <n> | How many daily archives are kept", []string{"- --keep-daily `<n>` | How many daily archives"}, nil},
		"links to other pages": {"How many berths does the guest marina have?",
			"The guest marina has 140 berths and four quays.\n\n- Berth booking\n- Guest marina\n- Contacts", []string{"has 140 berths"}, []string{"- Berth booking"}},
		"a sentence that points back": {"Do the environmental discounts add up?",
			"A vessel with an environmental index score of thirty-five or more gets a discount of 15 % on its quay dues. Vessels that use shore power for the whole of their stay pay 10 % less. " +
				"The two are not added together; the larger one counts.", []string{"The two are not added together"}, nil},
		"a sentence with advice": {"I put the folder into the ignore list yet its files are still tracked",
			"An ignore list ensures that certain files which nobody has ever tracked before remain untracked in the folder. However, sometimes files may have been tracked " +
				"before the folder was put into the ignore list, hence they are still tracked. To have tracked files forgotten, use the forget command with each <file>.",
			[]string{"use the forget command with each `<file>`."}, nil},
		"names with colons": {"How many server processes are created at startup?",
			"## StartServers Directive\n\nDescription: | Number of server processes created at startup\nSyntax: | StartServers number\nModule: | event, worker",
			[]string{"- Description: | Number of server processes created at startup"}, []string{"::", "Syntax"}},
		"what a program wrote": {"How many are taken of a host at most?",
			"{ \"name\": \"host\", \"messages\": \"many sent by a host at most\", \"most\": 3, \"send\": 0 } ...\n\nNo more than two thousand are taken of a host, and what is beyond that is dropped.",
			[]string{"No more than two thousand"}, []string{"name"}},
		"the row that the question names": {"Which phone does Jo Marsh have?", "# People\n\nName | Phone | Desk\nJo Marsh | 4411 | 4\nAl Reed | 4412 | 5",
			[]string{"Name | Phone | Desk:\n\n- Jo Marsh | 4411 | 4"}, []string{"Al Reed"}},
		"a value that no column has": {"What is the salary of Jo Marsh?", "# People\n\nName | Phone | Desk\nJo Marsh | 4411 | 4\nAl Reed | 4412 | 5",
			[]string{"These may help"}, []string{"4411"}},
		"a number in another cell": {"Who is on call in week 12?", "# On call\n\nWeek | From | Primary\n5 | 2025-01-12 | Al Reed\n12 | 2025-03-03 | Jo Marsh",
			[]string{"- 12 | 2025-03-03 | Jo Marsh"}, []string{"Al Reed"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, _ := run(t, asked(test.question, tool.Document{Number: 1, Title: "Handbook", Contents: test.contents}))
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("answer\n%s\nlacks\n%s", got, want)
				}
			}
			for _, not := range test.not {
				if strings.Contains(got, not) {
					t.Errorf("answer\n%s\nholds\n%s", got, not)
				}
			}
		})
	}
}

// Rows of a further page that share but one word with the question are no answer to it.
func TestRowsByTheWay(t *testing.T) {
	t.Parallel()
	got, _, _ := run(t, asked("When is the harbour kiosk open on a weekday?",
		tool.Document{Number: 1, Title: "Contacts", Contents: "| Weekday | Sunday\nPort Desk | 07:00–19:00 | closed\nHarbour kiosk | 09:00–21:00 | 10:00–18:00"},
		tool.Document{Number: 2, Title: "Moorings", Contents: "Pay at the machine beside the harbour kiosk, which is open, before 20:00."},
		tool.Document{Number: 3, Title: "Codes", Contents: "Code | What to do\nG-07 | Take the course; the card opens again\nG-20 | No other gate opens"}))
	if !strings.Contains(got, "- Harbour kiosk | 09:00–21:00 | 10:00–18:00") || strings.Contains(got, "G-") {
		t.Errorf("answer is\n%s", got)
	}
}
