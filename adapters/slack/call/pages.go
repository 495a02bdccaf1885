package call

// Page sizes for reading a thread. The first page has as many messages as Slack returns to apps
// that are distributed outside of its marketplace. Other apps get the rest in larger pages.
const (
	FirstPage = 15
	NextPage  = 200
	MaxPages  = 4
)
