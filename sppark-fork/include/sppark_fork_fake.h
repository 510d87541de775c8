/* Controls of the fake CUDA runtime (feature host-check): not in a build for a card. */
#ifndef SPPARK_FORK_FAKE_H
#define SPPARK_FORK_FAKE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A new fake device with so much memory; its number is the `device` of the other functions. The seed chooses the order in
 * which pending work runs and threads take their turns: seed % 3 = 0 runs work at the last moment, 1 at once, 2 shuffled. */
uint32_t spf_fake_device_create(uint64_t total_bytes, uint64_t seed);
/* Calls of the CUDA runtime made on this device since it was created or last armed. */
uint64_t spf_fake_calls(uint32_t device);
/* The n-th call from now (1 is the next) returns `code`; 0 disarms. A code after which a real context is lost stays. */
void spf_fake_fail_at(uint32_t device, uint64_t n, int32_t code);
/* Objects alive: allocations, pinned and registered blocks, streams, events. */
uint64_t spf_fake_alive(uint32_t device);
/* Device bytes allocated. */
uint64_t spf_fake_bytes(uint32_t device);
/* Accesses not ordered by stream or event, and misuse (double free, copies outside an allocation), since creation. */
uint64_t spf_fake_hazards(uint32_t device);
/* Copies the description of what is alive and of the hazards, zero-terminated and shortened to fit. */
void spf_fake_describe(uint32_t device, char* text, uint64_t text_bytes);

#ifdef __cplusplus
}
#endif

#endif
