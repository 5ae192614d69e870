import { defineConfig } from '@playwright/test'
import { findChromium } from './test/support/find-chromium.mjs'
import { PHONE } from './test/support/phone'
import { APP_PORT, WORKER_COUNT } from './test/support/ports'

/** A production build of the app, as `npm start` runs it, against the scripted upstream; no internet. */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  workers: WORKER_COUNT,
  // To record every step of every test costs a third of the run: what fails is run once more, and recorded. Passing
  // then, it is told as flaky.
  retries: 1,
  forbidOnly: Boolean(process.env.CI),
  // Bounds for what hangs, not for what is slow: some tests start servers of their own, on any machine.
  timeout: 180_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  outputDir: 'test-results',
  use: {
    baseURL: `http://127.0.0.1:${APP_PORT}`,
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    // e2e/offline.spec.ts alone looks at it; elsewhere every page is the server's.
    serviceWorkers: 'block',
    launchOptions: {
      executablePath: await findChromium(),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        // A microphone that beeps, and that nobody is asked about.
        '--use-fake-device-for-media-stream',
        '--use-fake-ui-for-media-stream',
      ],
    },
  },
  projects: [
    { name: 'desktop', grepInvert: /@touch/, use: { viewport: { width: 1280, height: 800 } } },
    { name: 'phone', grep: /@phone|@touch/, use: PHONE },
  ],
  webServer: {
    command: 'npx tsx test/support/browser-servers.ts',
    wait: { stdout: /The servers are ready/ },
    timeout: 180_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 10_000 },
  },
})
