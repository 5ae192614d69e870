import type { UpstreamSettings } from '@/lib/config/upstream-settings'

/** The default ports of programs that run models locally. */
const LOCAL_PROGRAMS = [
  { id: 'ollama', port: 11434 },
  { id: 'lm-studio', port: 1234 },
  { id: 'llama-cpp', port: 8080 },
] as const

/** Candidates, running or not, except on the port that this app itself listens on. */
export function localUpstreams(ownPort: number): UpstreamSettings[] {
  return LOCAL_PROGRAMS.filter(({ port }) => port !== ownPort).map(({ id, port }) => ({
    id,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: null,
    setBy: 'the embedded default',
  }))
}
