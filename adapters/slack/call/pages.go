package call

// These are the page sizes and the maximum number of pages for reading a thread. For apps
// distributed outside of its marketplace, Slack returns at most FirstPage messages. Other apps get
// the remaining messages in larger pages.
const (
	FirstPage = 15
	NextPage  = 200
	MaxPages  = 4
)
