package atlassian_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
)

func TestASiteIsToldByItsAddress(t *testing.T) {
	t.Parallel()
	for address, cloud := range map[string]bool{
		"https://acme.atlassian.net": true, "https://api.atlassian.com/ex/jira/1": true, "https://jira.acme.example": false, "https://atlassian.net.evil.example": false, "": false,
	} {
		if atlassian.IsCloud(address, "") != cloud || !atlassian.IsCloud(address, atlassian.Cloud) || atlassian.IsCloud(address, atlassian.DataCenter) {
			t.Error(address)
		}
	}
}

func TestAddressesOfManagedAccountsCount(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		" Ada@Acme.Example ": "ada@acme.example", "ada@other.example": "", "Ada <ada@acme.example>": "", "acme.example": "", "": "", "a@b@acme.example": "",
	} {
		if got := atlassian.Managed(address, []string{"ACME.example"}); len(got) > 1 || len(got) == 1 != (want != "") || want != "" && got[0] != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}

func TestSetsOfIDsAreWrittenAsText(t *testing.T) {
	t.Parallel()
	in := map[string]atlassian.IDSet{"s": {"7": true, "att7": true, "10000001": true}, "none": {}}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]atlassian.IDSet
	if err := json.Unmarshal(text, &out); err != nil || !slices.Equal(slices.Sorted(maps.Keys(out["s"])), []string{"10000001", "7", "att7"}) || len(out["none"]) > 0 {
		t.Errorf("%s became %v (%v)", text, out, err)
	}
	if json.Unmarshal([]byte(`"%"`), new(atlassian.IDSet)) == nil {
		t.Error("what is no set is taken")
	}
	var ids []atlassian.ID
	if err := json.Unmarshal([]byte(`["a", 12, null]`), &ids); err != nil || !slices.Equal(ids, []atlassian.ID{"a", "12", ""}) {
		t.Errorf("%v, %v", ids, err)
	}
}
