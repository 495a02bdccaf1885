package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/bots/internal/config"
)

func TestReportsAreRead(t *testing.T) {
	t.Parallel()
	f, err := config.ParseFile("f.yaml", []byte("reports:\n- {platform: slack, channel: C012, day: friday, hour: 0, time_zone: Europe/Berlin, costs: false}\n- {platform: discord, channel: \"123\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	first, second := f.Reports[0], f.Reports[1]
	if first.Name() != "slack:C012:report" || first.Costs || first.When().Day != time.Friday || first.When().Hour != 0 || first.When().Zone.String() != "Europe/Berlin" {
		t.Errorf("the first is %+v", first)
	}
	if second.Name() != "discord:123:report" || !second.Costs || second.When().Day != time.Monday || second.When().Hour != 9 || second.When().Zone != time.UTC {
		t.Errorf("the second is %+v", second)
	}
	for yaml, want := range map[string]string{
		"{channel: C012}":                                                           "names no channel",
		"{platform: slack}":                                                         "names no channel",
		"{platform: irc, channel: x}":                                               "write slack or discord",
		"{platform: slack, channel: help}":                                          "no id of a channel of slack",
		"{platform: slack, channel: D012}":                                          "no id of a channel of slack",
		"{platform: discord, channel: C012}":                                        "no id of a channel of discord",
		"{platform: slack, channel: C1, day: Mon}":                                  "write sunday, monday",
		"{platform: slack, channel: C1, hour: 24}":                                  "from 0 to 23",
		"{platform: slack, channel: C1, hour: -1}":                                  "from 0 to 23",
		"{platform: slack, channel: C1, hour: noon}":                                "from 0 to 23",
		"{platform: slack, channel: C1, time_zone: Berlin}":                         "such as Europe/Berlin",
		"{platform: slack, channel: C1, time_zone: Local}":                          "such as Europe/Berlin",
		"[{platform: slack, channel: C1}, {platform: slack, channel: C1, hour: 7}]": "another report goes to",
	} {
		if _, err := config.ParseFile("f.yaml", []byte("reports: "+yaml)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", yaml, err, want)
		}
	}
}
