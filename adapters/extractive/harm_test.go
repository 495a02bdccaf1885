package extractive_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/tool"
)

// A command comes with the warnings of its own section, and with no other.
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
