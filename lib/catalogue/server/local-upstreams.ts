import type { UpstreamSettings } from '@/lib/config/upstream-settings'

/** Where programs that run models on one's own machine listen, unless told otherwise. */
const LOCAL_PROGRAMS = [
  { id: 'ollama', port: 11434 },
  { id: 'lm-studio', port: 1234 },
  { id: 'llama-cpp', port: 8080 },
] as const

/** Candidates, whether they run or not; never the port that this app itself listens on. */
export function localUpstreams(ownPort: number): UpstreamSettings[] {
  return LOCAL_PROGRAMS.filter(({ port }) => port !== ownPort).map(({ id, port }) => ({
    id,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: null,
    setBy: 'the embedded default',
  }))
}
