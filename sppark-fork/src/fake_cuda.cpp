// The fake CUDA runtime. See include/spf/runtime/fake_cuda.hpp for what it is for.
#include "spf/runtime/fake_cuda.hpp"
#include "sppark_fork_fake.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>

namespace spf {
namespace fake {
namespace {

// How far each stream of a device had got: entry s counts operations of stream s.
using clock_t_ = std::vector<uint64_t>;

void merge(clock_t_& into, clock_t_ const& other) {
    if (into.size() < other.size()) into.resize(other.size(), 0);
    for (size_t i = 0; i < other.size(); i++) into[i] = std::max(into[i], other[i]);
}

struct operation {
    uint64_t sequence;
    stream_state* after_stream;  // with after_sequence: what must have run before
    uint64_t after_sequence;
    std::vector<access_t> accesses;
    std::function<void()> work;
};

struct past_access {
    access_t where;
    size_t stream;
    uint64_t sequence;
    std::string what;
};

struct machine;

}  // namespace

struct stream_state {
    machine* owner;
    size_t index;
    uint64_t enqueued = 0, done = 0;
    clock_t_ clock;
    std::deque<operation> queue;
    bool alive = true;
};

struct event_state {
    machine* owner;
    stream_state* stream = nullptr;  // null: never recorded
    uint64_t sequence = 0;
    clock_t_ clock;
    bool with_timing = false;
    std::shared_ptr<double> time_ms;
};

namespace {

struct machine {
    std::recursive_mutex mutex;
    uint64_t total_bytes = 0, used_bytes = 0;
    uint64_t seed = 0;
    std::mt19937_64 random;
    uint64_t calls = 0, fail_at = 0;
    int fail_code = 0, sticky = 0;
    uint64_t n_hazards = 0;
    std::string hazards;
    std::map<uintptr_t, size_t> device_blocks, pinned_blocks, registered_blocks;
    std::vector<std::unique_ptr<stream_state>> streams;
    std::map<event_state*, std::unique_ptr<event_state>> events;
    clock_t_ host;  // what the host has waited for
    std::vector<past_access> past;

    void hazard(std::string const& text) {
        n_hazards++;
        if (hazards.size() < 4000) hazards += text + "\n";
    }

    // Counts a call; gives the code that it must return.
    cudaError_t call() {
        calls++;
        if (sticky != 0) return cudaError_t(sticky);
        if (fail_at != 0 && --fail_at == 0) {
            if (fail_code >= 700 && fail_code <= 721) sticky = fail_code;
            return cudaError_t(fail_code);
        }
        return cudaSuccess;
    }

    static bool ready(operation const& op) {
        return op.after_stream == nullptr || op.after_stream->done >= op.after_sequence;
    }

    void step(stream_state& s) {
        operation op = std::move(s.queue.front());
        s.queue.pop_front();
        // After a fault nothing that was enqueued has an effect any more.
        if (sticky == 0 && op.work) op.work();
        s.done = op.sequence;
    }

    // Runs `s` up to `sequence`, and of the other streams what that needs; a shuffled machine runs others in between.
    void run_until(stream_state& s, uint64_t sequence) {
        while (s.done < sequence) {
            if (seed % 3 == 2) {
                std::vector<stream_state*> able;
                for (auto& other : streams) {
                    if (!other->queue.empty() && ready(other->queue.front())) able.push_back(other.get());
                }
                step(*able[random() % able.size()]);
                continue;
            }
            operation const& front = s.queue.front();
            if (!ready(front)) run_until(*front.after_stream, front.after_sequence);
            step(s);
        }
    }

    void run_all() {
        for (auto& s : streams) run_until(*s, s->enqueued);
    }

    void host_saw(clock_t_ const& clock) { merge(host, clock); }

    bool inside_allocation(void const* memory, size_t n_bytes) {
        auto const at = reinterpret_cast<uintptr_t>(memory);
        auto block = device_blocks.upper_bound(at);
        if (block == device_blocks.begin()) return false;
        --block;
        return at >= block->first && at + n_bytes <= block->first + block->second;
    }

    void push(stream_state& s, char const* what, std::vector<access_t> accesses, std::function<void()> work,
              stream_state* after = nullptr, uint64_t after_sequence = 0) {
        uint64_t const sequence = ++s.enqueued;
        merge(s.clock, host);
        if (s.clock.size() <= s.index) s.clock.resize(s.index + 1, 0);
        s.clock[s.index] = sequence;
        for (access_t const& now : accesses) check_order(s, what, now);
        for (access_t const& now : accesses) {
            // A write that is ordered after everything it covers makes those entries needless.
            if (now.writes) {
                past.erase(std::remove_if(past.begin(), past.end(),
                                          [&](past_access const& then) {
                                              return then.where.begin >= now.begin && then.where.end <= now.end;
                                          }),
                           past.end());
            }
            past.push_back({now, s.index, sequence, what});
        }
        s.queue.push_back({sequence, after, after_sequence, std::move(accesses), std::move(work)});
        if (seed % 3 == 1) run_until(s, sequence);
    }

    void check_order(stream_state const& s, char const* what, access_t const& now) {
        for (past_access const& then : past) {
            bool const overlaps = then.where.begin < now.end && now.begin < then.where.end;
            if (!overlaps || !(then.where.writes || now.writes)) continue;
            uint64_t const seen = then.stream < s.clock.size() ? s.clock[then.stream] : 0;
            if (seen >= then.sequence) continue;
            char text[256];
            std::snprintf(text, sizeof text, "stream %zu (%s) %s bytes that stream %zu (%s) %s, with no event between", s.index,
                          what, now.writes ? "writes" : "reads", then.stream, then.what.c_str(),
                          then.where.writes ? "writes" : "reads");
            hazard(text);
            return;
        }
    }

    // Of what other devices must have waited for through the host: an access that it has not waited for, in
    // words.
    std::string unordered_for_host(access_t const& now) const {
        if (sticky != 0) return {};
        for (past_access const& then : past) {
            bool const overlaps = then.where.begin < now.end && now.begin < then.where.end;
            uint64_t const seen = then.stream < host.size() ? host[then.stream] : 0;
            if (!overlaps || !(then.where.writes || now.writes) || seen >= then.sequence) continue;
            return std::string("a copy ") + (now.writes ? "writes" : "reads") + " bytes that another device (" + then.what + ") " +
                   (then.where.writes ? "writes" : "reads") + ", and the host has not waited for it";
        }
        return {};
    }

    // Work still pending that touches host memory about to go away. A fault has ended all of a context's work.
    void check_not_pending(void const* memory, size_t n_bytes, char const* what) {
        if (sticky != 0) return;
        auto const begin = reinterpret_cast<uintptr_t>(memory), end = begin + n_bytes;
        for (auto& s : streams) {
            for (operation const& op : s->queue) {
                for (access_t const& access : op.accesses) {
                    if (access.begin < end && begin < access.end) {
                        hazard(std::string(what) + " while a copy that uses it is pending");
                        return;
                    }
                }
            }
        }
    }

    void forget(void const* memory, size_t n_bytes) {
        auto const begin = reinterpret_cast<uintptr_t>(memory), end = begin + n_bytes;
        past.erase(std::remove_if(past.begin(), past.end(),
                                  [&](past_access const& then) { return then.where.begin < end && begin < then.where.end; }),
                   past.end());
    }
};

// Page-locked memory is every device's: what each of them does with a block of another is checked against the
// others'.
struct portable_block {
    size_t n_bytes;
    machine* owner;
    std::set<machine*> guests;
};

struct portable_t {
    std::mutex mutex;
    std::map<uintptr_t, portable_block> blocks;
};

portable_t& portable() {
    static portable_t all;
    return all;
}

void share(machine* owner, void* memory, size_t n_bytes) {
    std::lock_guard<std::mutex> hold(portable().mutex);
    portable().blocks[reinterpret_cast<uintptr_t>(memory)] = {n_bytes, owner, {}};
}

// The block goes. No other device may be using it.
void unshare(machine* owner, void* memory, char const* what) {
    size_t n_bytes = 0;
    std::set<machine*> guests;
    {
        std::lock_guard<std::mutex> hold(portable().mutex);
        auto const block = portable().blocks.find(reinterpret_cast<uintptr_t>(memory));
        if (block == portable().blocks.end() || block->second.owner != owner) return;
        n_bytes = block->second.n_bytes;
        guests = std::move(block->second.guests);
        portable().blocks.erase(block);
    }
    for (machine* guest : guests) {
        std::lock_guard<std::recursive_mutex> hold(guest->mutex);
        guest->check_not_pending(memory, n_bytes, what);
        // What has just been reported is not to read freed memory in earnest.
        guest->run_all();
        guest->forget(memory, n_bytes);
    }
}

struct portable_use {
    bool is_pinned = false;
    std::string conflict;
};

// A device is about to copy from or to memory of the host. No device orders itself after another: the host
// must have waited for whatever others did with it.
portable_use use_portable(machine* m, access_t const& now) {
    portable_use use;
    std::vector<machine*> others;
    {
        std::lock_guard<std::mutex> hold(portable().mutex);
        auto block = portable().blocks.upper_bound(now.begin);
        if (block == portable().blocks.begin()) return use;
        --block;
        if (now.end > block->first + block->second.n_bytes) return use;
        use.is_pinned = true;
        if (block->second.owner != m) {
            block->second.guests.insert(m);
            others.push_back(block->second.owner);
        }
        for (machine* guest : block->second.guests) {
            if (guest != m) others.push_back(guest);
        }
    }
    for (machine* other : others) {
        std::lock_guard<std::recursive_mutex> hold(other->mutex);
        if (use.conflict.empty()) use.conflict = other->unordered_for_host(now);
    }
    return use;
}

// Fake devices are never destroyed: a test that leaked must still be able to ask what.
struct machines_t {
    std::mutex mutex;
    std::vector<std::unique_ptr<machine>> list;
};

machines_t& machines() {
    static machines_t all;
    return all;
}

thread_local int current_device = 0;

machine* find(int device) {
    std::lock_guard<std::mutex> hold(machines().mutex);
    auto& list = machines().list;
    return device >= 0 && size_t(device) < list.size() ? list[size_t(device)].get() : nullptr;
}

double now_ms() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

// The current machine, locked, with the call counted.
struct entered {
    machine* m;
    std::unique_lock<std::recursive_mutex> hold;
    cudaError_t code;

    explicit entered(machine* of) : m(of), code(cudaErrorInvalidDevice) {
        if (m != nullptr) {
            hold = std::unique_lock<std::recursive_mutex>(m->mutex);
            code = m->call();
        }
    }
    entered() : entered(find(current_device)) {}
};

}  // namespace

cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = 0;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
    *version = 0;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
    std::lock_guard<std::mutex> hold(machines().mutex);
    *count = int(machines().list.size());
    return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    if (find(device) == nullptr) return cudaErrorInvalidDevice;
    current_device = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    entered e(find(device));
    if (e.code != cudaSuccess) return e.code;
    std::memset(properties, 0, sizeof *properties);
    std::snprintf(properties->name, sizeof properties->name, "fake device %d", device);
    properties->totalGlobalMem = size_t(e.m->total_bytes);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
    entered e(find(device));
    if (e.code != cudaSuccess) return e.code;
    switch (which) {
        case cudaDevAttrClockRate: *value = 1000000; break;
        case cudaDevAttrMultiProcessorCount: *value = 4; break;
        case cudaDevAttrL2CacheSize: *value = 1 << 20; break;
        case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
        case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = 227 << 10; break;
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
    entered e;
    if (e.code != cudaSuccess) return e.code;
    e.m->run_all();
    for (auto& s : e.m->streams) e.m->host_saw(s->clock);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    entered e;
    if (e.code != cudaSuccess) return e.code;
    *free = size_t(e.m->total_bytes - e.m->used_bytes);
    *total = size_t(e.m->total_bytes);
    return cudaSuccess;
}

cudaError_t cudaGetLastError() {
    return cudaSuccess;
}

char const* cudaGetErrorName(cudaError_t code) {
    switch (code) {
        case cudaSuccess: return "cudaSuccess";
        case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
        case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
        case cudaErrorNoDevice: return "cudaErrorNoDevice";
        case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
        case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
        case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
        default: return "cudaError";
    }
}

char const* cudaGetErrorString(cudaError_t code) {
    return code == cudaErrorInvalidDevice ? "invalid device ordinal" : "an error of the fake runtime";
}

cudaError_t cudaMalloc(void** memory, size_t n_bytes) {
    entered e;
    if (e.code != cudaSuccess) return e.code;
    *memory = nullptr;
    if (n_bytes == 0) return cudaSuccess;
    if (n_bytes > e.m->total_bytes - e.m->used_bytes) return cudaErrorMemoryAllocation;
    // 256-byte alignment, as on a card. The size is kept exact, so that ASan sees the first byte past the end.
    void* block = nullptr;
    if (posix_memalign(&block, 256, n_bytes) != 0) return cudaErrorMemoryAllocation;
    std::memset(block, 0xA5, n_bytes);
    e.m->device_blocks[reinterpret_cast<uintptr_t>(block)] = n_bytes;
    e.m->used_bytes += n_bytes;
    *memory = block;
    return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
    machine* const m = find(current_device);
    if (m == nullptr) return cudaErrorInvalidDevice;
    std::lock_guard<std::recursive_mutex> hold(m->mutex);
    if (memory == nullptr) return cudaSuccess;
    // Freeing waits for the device, and works on a lost context as far as a test can tell: nothing may be leaked.
    m->run_all();
    auto const block = m->device_blocks.find(reinterpret_cast<uintptr_t>(memory));
    if (block == m->device_blocks.end()) {
        m->hazard("cudaFree of what is no allocation of this device");
        return cudaErrorInvalidValue;
    }
    m->forget(memory, block->second);
    m->used_bytes -= block->second;
    m->device_blocks.erase(block);
    std::free(memory);
    return m->sticky != 0 ? cudaError_t(m->sticky) : cudaSuccess;
}

cudaError_t cudaHostAlloc(void** memory, size_t n_bytes, unsigned) {
    entered e;
    if (e.code != cudaSuccess) return e.code;
    *memory = nullptr;
    if (n_bytes == 0) return cudaSuccess;
    void* block = nullptr;
    if (posix_memalign(&block, 4096, n_bytes) != 0) return cudaErrorMemoryAllocation;
    std::memset(block, 0xA5, n_bytes);
    e.m->pinned_blocks[reinterpret_cast<uintptr_t>(block)] = n_bytes;
    share(e.m, block, n_bytes);
    *memory = block;
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void* memory) {
    machine* const m = find(current_device);
    if (m == nullptr) return cudaErrorInvalidDevice;
    unshare(m, memory, "pinned memory is freed");
    std::lock_guard<std::recursive_mutex> hold(m->mutex);
    if (memory == nullptr) return cudaSuccess;
    auto const block = m->pinned_blocks.find(reinterpret_cast<uintptr_t>(memory));
    if (block == m->pinned_blocks.end()) {
        m->hazard("cudaFreeHost of what is no pinned block of this device");
        return cudaErrorInvalidValue;
    }
    // Freeing waits for the device on a card too, but whoever relies on that waits for every stream.
    m->check_not_pending(memory, block->second, "pinned memory is freed");
    m->run_all();
    m->forget(memory, block->second);
    m->pinned_blocks.erase(block);
    std::free(memory);
    return m->sticky != 0 ? cudaError_t(m->sticky) : cudaSuccess;
}

cudaError_t cudaHostRegister(void* memory, size_t n_bytes, unsigned) {
    entered e;
    if (e.code != cudaSuccess) return e.code;
    e.m->registered_blocks[reinterpret_cast<uintptr_t>(memory)] = n_bytes;
    share(e.m, memory, n_bytes);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* memory) {
    machine* const m = find(current_device);
    if (m == nullptr) return cudaErrorInvalidDevice;
    unshare(m, memory, "registered memory is unregistered");
    std::lock_guard<std::recursive_mutex> hold(m->mutex);
    auto const block = m->registered_blocks.find(reinterpret_cast<uintptr_t>(memory));
    if (block == m->registered_blocks.end()) {
        m->hazard("cudaHostUnregister of what is not registered");
        return cudaErrorInvalidValue;
    }
    m->check_not_pending(memory, block->second, "registered memory is unregistered");
    m->forget(memory, block->second);
    m->registered_blocks.erase(block);
    return m->sticky != 0 ? cudaError_t(m->sticky) : cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, void const* from, size_t n_bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    portable_use host;
    if (kind != cudaMemcpyDeviceToDevice) {
        bool const writes = kind == cudaMemcpyDeviceToHost;
        auto const begin = reinterpret_cast<uintptr_t>(writes ? to : from);
        host = use_portable(stream->owner, {begin, begin + n_bytes, writes});
    }
    entered e(stream->owner);
    if (e.code != cudaSuccess) return e.code;
    machine& m = *e.m;
    if (!host.conflict.empty()) m.hazard(host.conflict);
    bool const to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool const from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if ((to_device && !m.inside_allocation(to, n_bytes)) || (from_device && !m.inside_allocation(from, n_bytes))) {
        m.hazard("a copy reaches outside its allocation");
        return cudaErrorInvalidValue;
    }
    std::vector<access_t> accesses;
    auto name = [&](void const* memory, bool writes) {
        auto const begin = reinterpret_cast<uintptr_t>(memory);
        accesses.push_back({begin, begin + n_bytes, writes});
    };
    if (kind == cudaMemcpyHostToDevice && !host.is_pinned) {
        // Pageable memory is staged before the call returns.
        auto const first = static_cast<unsigned char const*>(from);
        auto staged = std::make_shared<std::vector<unsigned char>>(first, first + n_bytes);
        name(to, true);
        m.push(*stream, "copy to device", std::move(accesses), [=] { std::memcpy(to, staged->data(), n_bytes); });
        return cudaSuccess;
    }
    name(from, false);
    name(to, true);
    m.push(*stream, to_device ? "copy to device" : "copy to host", std::move(accesses),
           [=] { std::memmove(to, from, n_bytes); });
    if (kind == cudaMemcpyDeviceToHost && !host.is_pinned) {
        m.run_until(*stream, stream->enqueued);
        m.host_saw(stream->clock);
    }
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* memory, int byte, size_t n_bytes, cudaStream_t stream) {
    entered e(stream->owner);
    if (e.code != cudaSuccess) return e.code;
    if (!e.m->inside_allocation(memory, n_bytes)) {
        e.m->hazard("a fill reaches outside its allocation");
        return cudaErrorInvalidValue;
    }
    auto const begin = reinterpret_cast<uintptr_t>(memory);
    e.m->push(*stream, "fill", {{begin, begin + n_bytes, true}}, [=] { std::memset(memory, byte, n_bytes); });
    return cudaSuccess;
}

cudaError_t enqueue(cudaStream_t stream, char const* what, std::vector<access_t> accesses, std::function<void()> work) {
    entered e(stream->owner);
    if (e.code != cudaSuccess) return e.code;
    e.m->push(*stream, what, std::move(accesses), std::move(work));
    return cudaSuccess;
}

std::vector<uint32_t> thread_order(cudaStream_t stream, uint32_t n_threads) {
    machine& m = *stream->owner;
    std::vector<uint32_t> order(n_threads);
    for (uint32_t i = 0; i < n_threads; i++) order[i] = i;
    uint64_t const draw = m.random();
    if (draw % 3 == 1) std::reverse(order.begin(), order.end());
    if (draw % 3 == 2) std::shuffle(order.begin(), order.end(), m.random);
    return order;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    entered e;
    if (e.code != cudaSuccess) return e.code;
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}

// Streams run in whatever order the seed gives, so a priority changes nothing.
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
    entered e;
    if (e.code != cudaSuccess) return e.code;
    auto made = std::make_unique<stream_state>();
    made->owner = e.m;
    made->index = e.m->streams.size();
    *stream = made.get();
    e.m->streams.push_back(std::move(made));
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    std::lock_guard<std::recursive_mutex> hold(stream->owner->mutex);
    if (!stream->alive) {
        stream->owner->hazard("a stream is destroyed twice");
        return cudaErrorInvalidResourceHandle;
    }
    // The state stays, with its pending work, as other streams may wait for events recorded here.
    stream->alive = false;
    return stream->owner->sticky != 0 ? cudaError_t(stream->owner->sticky) : cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    entered e(stream->owner);
    if (e.code != cudaSuccess) return e.code;
    e.m->run_until(*stream, stream->enqueued);
    e.m->host_saw(stream->clock);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    entered e(stream->owner);
    if (e.code != cudaSuccess) return e.code;
    if (stream->done < stream->enqueued) {
        // Time passes while somebody asks, or a loop of questions would never end.
        e.m->run_until(*stream, stream->done + 1);
        return cudaErrorNotReady;
    }
    e.m->host_saw(stream->clock);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    entered e(stream->owner);
    if (e.code != cudaSuccess) return e.code;
    if (event->stream == nullptr) return cudaSuccess;
    merge(stream->clock, event->clock);
    e.m->push(*stream, "wait", {}, {}, event->stream, event->sequence);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    entered e;
    if (e.code != cudaSuccess) return e.code;
    auto made = std::make_unique<event_state>();
    made->owner = e.m;
    made->with_timing = (flags & cudaEventDisableTiming) == 0;
    *event = made.get();
    e.m->events[*event] = std::move(made);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    machine& m = *event->owner;
    std::lock_guard<std::recursive_mutex> hold(m.mutex);
    m.events.erase(event);
    return m.sticky != 0 ? cudaError_t(m.sticky) : cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    entered e(stream->owner);
    if (e.code != cudaSuccess) return e.code;
    auto time = std::make_shared<double>(0.0);
    e.m->push(*stream, "record", {}, [time] { *time = now_ms(); });
    event->stream = stream;
    event->sequence = stream->enqueued;
    event->clock = stream->clock;
    event->time_ms = time;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    entered e(event->owner);
    if (e.code != cudaSuccess) return e.code;
    if (event->stream == nullptr) return cudaSuccess;
    e.m->run_until(*event->stream, event->sequence);
    e.m->host_saw(event->clock);
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    entered e(event->owner);
    if (e.code != cudaSuccess) return e.code;
    if (event->stream == nullptr) return cudaSuccess;
    if (event->stream->done < event->sequence) {
        e.m->run_until(*event->stream, event->stream->done + 1);
        return cudaErrorNotReady;
    }
    e.m->host_saw(event->clock);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t stop) {
    entered e(start->owner);
    if (e.code != cudaSuccess) return e.code;
    if (!start->with_timing || !stop->with_timing || start->stream == nullptr || stop->stream == nullptr) {
        return cudaErrorInvalidResourceHandle;
    }
    if (stop->stream->done < stop->sequence || start->stream->done < start->sequence) return cudaErrorNotReady;
    *ms = float(*stop->time_ms - *start->time_ms);
    return cudaSuccess;
}

}  // namespace fake
}  // namespace spf

using spf::fake::find;  // in an unnamed namespace of this file
using spf::fake::machine;
using spf::fake::machines;

extern "C" {

uint32_t spf_fake_device_create(uint64_t total_bytes, uint64_t seed) {
    auto made = std::make_unique<machine>();
    made->total_bytes = total_bytes;
    made->seed = seed;
    made->random.seed(seed);
    std::lock_guard<std::mutex> hold(machines().mutex);
    machines().list.push_back(std::move(made));
    return uint32_t(machines().list.size() - 1);
}

uint64_t spf_fake_calls(uint32_t device) {
    machine* const m = find(int(device));
    return m == nullptr ? 0 : m->calls;
}

void spf_fake_fail_at(uint32_t device, uint64_t n, int32_t code) {
    machine* const m = find(int(device));
    if (m == nullptr) return;
    std::lock_guard<std::recursive_mutex> hold(m->mutex);
    if (m->sticky != 0) m->run_all();  // what a fault has ended does not come back with a healed context
    m->calls = 0;
    m->fail_at = n;
    m->fail_code = code;
    m->sticky = 0;
}

uint64_t spf_fake_alive(uint32_t device) {
    machine* const m = find(int(device));
    if (m == nullptr) return 0;
    std::lock_guard<std::recursive_mutex> hold(m->mutex);
    uint64_t streams = 0;
    for (auto const& s : m->streams) streams += s->alive;
    return m->device_blocks.size() + m->pinned_blocks.size() + m->registered_blocks.size() + m->events.size() + streams;
}

uint64_t spf_fake_bytes(uint32_t device) {
    machine* const m = find(int(device));
    return m == nullptr ? 0 : m->used_bytes;
}

uint64_t spf_fake_hazards(uint32_t device) {
    machine* const m = find(int(device));
    return m == nullptr ? 0 : m->n_hazards;
}

void spf_fake_describe(uint32_t device, char* text, uint64_t text_bytes) {
    machine* const m = find(int(device));
    if (m == nullptr || text_bytes == 0) return;
    std::lock_guard<std::recursive_mutex> hold(m->mutex);
    uint64_t streams = 0;
    for (auto const& s : m->streams) streams += s->alive;
    std::snprintf(text, size_t(text_bytes),
                  "alive: %zu device blocks, %zu pinned, %zu registered, %zu events, %llu streams; hazards: %llu\n%s",
                  m->device_blocks.size(), m->pinned_blocks.size(), m->registered_blocks.size(), m->events.size(),
                  (unsigned long long)streams, (unsigned long long)m->n_hazards, m->hazards.c_str());
}
}
