package extractive_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/tool"
)

// A command comes with the warnings of the same section only.
func TestWarningsBelongToTheirSection(t *testing.T) {
	t.Parallel()
	const rotate, code, warning = "## Rotate the certificate\n\nCertificates are rotated every 90 days:\n\n", "```\nbcert rotate --node b1\n```", "**Warning:** all invoices of the tenant are lost."
	for name, test := range map[string]struct{ contents, want string }{
		"of the next section":             {rotate + code + "\n\n## Tenants\n\n" + warning + "\n\n```\nbtenant rm --all\n```", code},
		"of the section before":           {"## Tenants\n\n" + warning + "\n\n## Rotate the certificate\n\n" + code, code},
		"of another section of this name": {"## A\n\n### Certificate\n\n" + rotate[26:] + code + "\n\n## B\n\n### Certificate\n\n" + warning, code},
		"of the next command":             {rotate + code + "\n\n" + warning + "\n\n```\nbtenant list\n```", code},
		"behind it":                       {rotate + code + "\n\n" + warning, code + "\n\n" + warning},
		"before it":                       {"## Rotate the certificate\n\n" + warning + "\n\n" + code, warning + "\n\n" + code},
		"before the sentence that leads to it": {"## Rotate the certificate\n\n" + warning + "\n\nCertificates are rotated every 90 days:\n\n" + code,
			warning + "\n\nCertificates are rotated every 90 days:\n\n" + code},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, _ := run(t, asked("how do I rotate the certificate of a node", tool.Document{Number: 3, Title: "Billing", Contents: "# Billing\n\n" + test.contents}))
			if !strings.HasSuffix(got, test.want) || strings.Contains(got, "Warning") != strings.Contains(test.want, "Warning") {
				t.Errorf("answer is\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// A command that does harm is recognised by its name, wherever it is, and only then.
func TestHarmfulCommandsAreNotQuoted(t *testing.T) {
	t.Parallel()
	fence := func(text string) string { return "To look at the worker queue, run:\n\n```\n" + text + "\n```" }
	linked := []string{
		"find /queue -print0 | xargs -0 /bin/rm -f", "wqueue | xargs -r /usr/bin/pkill -f", "free -m; killall worker", "dropdb queue && createdb queue", "systemctl poweroff",
		"wipefs -a /dev/sdb", "userdel worker", "apt autoremove", "redis-cli FLUSHALL; redis-cli LLEN queue", "lvremove vg/queue", "shred queue.db", "DEL queue", "db.dropDatabase()",
		"DROP TABLE queue", "sudo /sbin/shutdown -r now", "\\rm -r queue", "find /queue -delete", "docker run --force queue",
	}
	for _, text := range linked {
		checkHarm(t, "how do I look at the worker queue?", fence(text), false)
	}
	for _, contents := range []string{
		"The worker queue is looked at with\n\n   qstack -p 7; shutdown -h now", "The worker queue is looked at with this:\n   /usr/bin/kill -9 PID\n   qstack",
		"The worker queue is looked at with this:\n\nkill -9 PID", "To look at the worker queue, run `./killall queue` on it.",
	} {
		checkHarm(t, "how do I look at the worker queue?", contents, false)
	}
	quoted := []string{"wqueue --rm-after 5", "wqueue show # of deleted workers too", "wqueue list skills", "cat /etc/model"}
	for _, text := range quoted {
		checkHarm(t, "how do I look at the worker queue?", fence(text), true)
	}
	for question, contents := range map[string]string{
		"how do I print the report in another format": "To print the report in another format, run:\n\n```\nwreport --as json\n```", "which layout has an invoice": "For a clean layout of the invoice, pass a style:\n\n```\nwinvoice --style plain\n```",
		"how do I keep line breaks": "To keep hard line breaks, use this option:\n\n```\nwletter --breaks keep\n```", "how is the digest sent": "The digest is sent without a stop over like this:\n\n```\nwdigest send\n```",
		"what does pkill end": "To end a worker by name:\n\n```\npkill -f worker\n```",
	} {
		checkHarm(t, question, contents, true)
	}
}

func checkHarm(t *testing.T, question, contents string, quoted bool) {
	t.Helper()
	got, _, _ := run(t, asked(question, tool.Document{Number: 3, Title: "Handbook", Contents: "# Handbook\n\n" + contents}))
	if strings.HasPrefix(got, heading) != quoted {
		t.Errorf("%q is answered from\n%s\nwith\n%s", question, contents, got)
	}
}
