package local

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"
)

// fileLock is a lock on a file (flock). The kernel releases it when the process ends. Child
// programs do not inherit it. It holds a bare descriptor, because the garbage collector could close
// an os.File.
type fileLock struct {
	fd       int
	released sync.Once
}

// release releases the lock. It may be called more than once, and on nil.
func (l *fileLock) release() {
	if l != nil {
		l.released.Do(func() {
			// Closing alone is not enough. A child that another goroutine has just forked holds
			// the lock until it starts its program.
			_ = syscall.Flock(l.fd, syscall.LOCK_UN)
			_ = syscall.Close(l.fd)
		})
	}
}

// lockExclusive waits for the lock until ctx is done. It polls, because a goroutine blocked in
// flock cannot be cancelled.
func lockExclusive(ctx context.Context, name string, owner account, logger *slog.Logger) (*fileLock, error) {
	const pause, patience = 20 * time.Millisecond, 50
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for tries := 0; ; tries++ {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		lock, err := tryExclusive(name, owner)
		if lock != nil || err != nil {
			return lock, err
		}
		if tries == patience {
			logger.InfoContext(ctx, "waiting for another process to start or stop the private PostgreSQL", "lock", name)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// tryExclusive takes the lock without waiting. It returns nil without an error if another process
// holds the lock.
func tryExclusive(name string, owner account) (*fileLock, error) {
	lock, err := lockFile(name, owner, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return lock, err
}

// lockShared takes the lock in shared mode, and waits for it if necessary. The caller must hold the
// start lock, so that the wait is short.
func lockShared(name string, owner account) (*fileLock, error) {
	return lockFile(name, owner, syscall.LOCK_SH)
}

func lockFile(name string, owner account, how int) (*fileLock, error) {
	fd, err := uninterrupted(func() (int, error) {
		return syscall.Open(name, syscall.O_RDWR|syscall.O_CREAT|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	})
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	lock := &fileLock{fd: fd}
	// The file must belong to the data's owner, even if root created it.
	if err := owner.own(name); err != nil {
		lock.release()
		return nil, err
	}
	if _, err := uninterrupted(func() (int, error) { return 0, syscall.Flock(fd, how) }); err != nil {
		lock.release()
		return nil, &os.PathError{Op: "lock", Path: name, Err: err}
	}
	return lock, nil
}

// uninterrupted repeats a system call that a signal interrupted.
func uninterrupted(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
