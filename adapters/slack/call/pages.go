package call

// These are the page sizes and the maximum number of pages for reading a thread. Slack returns at
// most FirstPage messages to apps that are distributed outside its marketplace.
const (
	FirstPage = 15
	NextPage  = 200
	MaxPages  = 4
)
