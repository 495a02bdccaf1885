package answer

import "testing"

func TestKeptTextHasNoLinks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Press the button. [[1]](<https://docs.example.org/a#b>) Then wait. [[2]](https://docs.example.org/c_(d))": "Press the button. Then wait.",
		"See [the handbook](https://docs.example.org/a).":                                                          "See the handbook.",
		"No link: f(x), [a] (b), a[1](2":                                                                           "No link: f(x), [a] (b), a[1](2",
	} {
		if got := unlinked(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
