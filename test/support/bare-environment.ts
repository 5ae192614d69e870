import { delimiter, resolve } from 'node:path'

/**
 * What a server of the tests has from its surroundings: no setting of whoever runs them, neither exported nor in an
 * `.env` file, which Next and our own server pass over where they seem to have been read.
 */
export function bareEnvironment(settings: Record<string, string>) {
  return {
    PATH: [resolve('node_modules/.bin'), process.env.PATH].join(delimiter),
    HOME: process.env.HOME ?? '',
    NODE_ENV: 'production' as const,
    __NEXT_PROCESSED_ENV: 'true',
    ...settings,
  }
}
