import { spawn } from 'node:child_process'
import { readSettings } from '@/lib/config/settings'
import { SettingsError } from '@/lib/config/settings-error'
import { buildIfNeeded } from './build-if-needed'

/** Starts the product (npm start): settings checked, built when needed, served on PORT. */
const settings = settingsOrExit()
await buildIfNeeded()

const server = spawn('node', ['--no-warnings', 'scripts/server.ts'], {
  stdio: 'inherit',
  env: { ...process.env, PORT: String(settings.port), NODE_ENV: 'production' },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal))
server.once('exit', code => process.exit(code ?? 0))

console.log(`\n${settings.appName} is starting on http://localhost:${settings.port}`)
if (settings.sandbox.gateway) {
  console.log(
    'Sandbox: the money is not real. See "Settings" in README.md to accept payments and add models.',
  )
}

function settingsOrExit() {
  try {
    return readSettings(process.env)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    console.error(`\n${error.message}`)
    process.exit(1)
  }
}
