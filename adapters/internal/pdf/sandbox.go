package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"sync"

	"github.com/footnotehq/footnote/core/footprint"
	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

const (
	// memoryLimit is PDFium's memory for one file in bytes. It is allocated at once, because
	// growing memory copies it and temporarily needs twice as much.
	memoryLimit = 128 << 20
	wasmPage    = 64 << 10
)

// lanes holds a value for each file that is being read. Each lane has one sandbox: the file of a
// question never waits for a file of a source. More sandboxes would take processor time from it.
// The memory is granted by the pool of the lane.
var lanes = [footprint.Lanes]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}

// process is the only pool of sandboxes. It starts with the first file, because compiling PDFium
// takes seconds and many megabytes.
var process starter

type starter struct {
	mu   sync.Mutex
	pool pdfium.Pool
}

func (s *starter) get() (pdfium.Pool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pool != nil {
		return s.pool, nil
	}
	pool, err := start()
	if err != nil {
		return nil, fmt.Errorf("the sandbox for PDF files cannot be started (%w). Check that this machine has memory left", err)
	}
	s.pool = pool
	return pool, nil
}

func start() (pdfium.Pool, error) {
	config := wazero.NewRuntimeConfig().
		WithMemoryLimitPages(memoryLimit / wasmPage).
		WithCloseOnContextDone(true) // or a loop in a hostile file could not be ended
	if folder, err := cacheFolder(); err == nil { // without one, this process compiles for itself
		if cache, err := wazero.NewCompilationCacheWithDir(folder); err == nil {
			config = config.WithCompilationCache(cache)
		}
	}
	return webassembly.Init(webassembly.Config{
		MaxTotal: len(lanes), MaxIdle: 0, MinIdle: 0,
		// nothing of this machine's files; the default would be all of them
		FSConfig: wazero.NewFSConfig(),
		Stdout:   io.Discard, Stderr: io.Discard,
		RuntimeConfig: config,
	})
}

// cacheFolder returns a folder for PDFium's compiled code, so that only the first process on a
// machine compiles it. The code is executed, so it returns an error if other accounts may write to
// the folder.
func cacheFolder() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(base, "footnote", "pdf")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	info, err := os.Stat(folder)
	if err != nil {
		return "", err
	}
	if info.Mode().Perm()&0o022 != 0 {
		return "", fmt.Errorf("others may write to %s", folder)
	}
	return folder, nil
}

// sandbox is an instance of PDFium with its own memory. It reads only one file.
type sandbox struct {
	lane      chan struct{}
	instance  pdfium.Pdfium
	module    api.Module
	functions map[string]api.Function
	stack     [8]uint64
	scratch   uint32 // for results that PDFium writes to memory
}

const scratchSize = 4096

func open(ctx context.Context) (*sandbox, error) {
	pool, err := process.get()
	if err != nil {
		return nil, err
	}
	lane := lanes[footprint.LaneOf(ctx)]
	select {
	case lane <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	instance, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		<-lane
		return nil, fmt.Errorf("the sandbox for PDF files cannot be started (%w). Check that this machine has memory left", err)
	}
	s := &sandbox{lane: lane, instance: instance, functions: make(map[string]api.Function)}
	if s.module, err = moduleOf(instance); err != nil {
		s.close()
		return nil, err
	}
	if err = s.reserve(ctx); err != nil {
		s.close()
		return nil, err
	}
	if s.scratch, err = s.allocate(ctx, scratchSize); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// moduleOf returns the WebAssembly module of a go-pdfium instance. Calls of the module are about
// 100 times as fast as go-pdfium's own interface.
func moduleOf(instance pdfium.Pdfium) (api.Module, error) {
	value := reflect.ValueOf(instance.GetImplementation())
	if value.Kind() == reflect.Pointer && value.Elem().Kind() == reflect.Struct {
		if field := value.Elem().FieldByName("Module"); field.IsValid() && field.CanInterface() {
			if module, ok := field.Interface().(api.Module); ok {
				return module, nil
			}
		}
	}
	return nil, errors.New("this version of go-pdfium keeps its module elsewhere: the program was built wrongly")
}

func (s *sandbox) close() {
	_ = s.instance.Kill()
	<-s.lane
}

// trapError reports that an instance ended because of a fault in it, exhausted memory, or the time
// limit.
type trapError struct{ cause error }

func (e *trapError) Error() string { return "PDFium has stopped: " + e.cause.Error() }
func (e *trapError) Unwrap() error { return e.cause }

func (s *sandbox) call(ctx context.Context, name string, arguments ...uint64) (uint64, error) {
	f := s.functions[name]
	if f == nil {
		if f = s.module.ExportedFunction(name); f == nil {
			return 0, fmt.Errorf("this version of PDFium has no function %s: the program was built wrongly", name)
		}
		s.functions[name] = f
	}
	s.stack = [len(s.stack)]uint64{}
	copy(s.stack[:], arguments)
	if err := f.CallWithStack(ctx, s.stack[:]); err != nil {
		return 0, &trapError{err}
	}
	return s.stack[0], nil
}

// reserve grows the sandbox's memory to nearly its limit in one step. PDFium can then use this
// memory.
func (s *sandbox) reserve(ctx context.Context) error {
	const spare = 1 << 20 // of the allocator itself
	at, err := s.allocate(ctx, memoryLimit-int(s.module.Memory().Size())-spare)
	if err != nil {
		return err
	}
	_, err = s.call(ctx, "free", uint64(at))
	return err
}

func (s *sandbox) allocate(ctx context.Context, size int) (uint32, error) {
	at, err := s.call(ctx, "malloc", uint64(size))
	if err == nil && at == 0 {
		err = &trapError{errors.New("no memory is left")}
	}
	return uint32(at), err
}

// bytes returns a view of the sandbox's memory, which is valid until the next call.
func (s *sandbox) bytes(at uint32, size int) ([]byte, error) {
	view, ok := s.module.Memory().Read(at, uint32(size))
	if !ok {
		return nil, &trapError{errors.New("it named a place outside of its memory")}
	}
	return view, nil
}
