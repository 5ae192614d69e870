import { delimiter, resolve } from 'node:path'

/**
 * The environment of the tests' servers: none of the settings of whoever runs the tests, neither exported nor in an
 * `.env` file, which Next and our own server skip if they seem to have been loaded already.
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
