import { accessSync, constants } from 'node:fs'

const SYSTEM_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * The browser for the end-to-end tests: `CHROMIUM_PATH`, one that is installed, one that Playwright has downloaded
 * before, or the one that npm installed with the project (Linux).
 *
 * @returns {Promise<string>} the path of its executable
 */
export async function findChromium() {
  const given = process.env.CHROMIUM_PATH
  if (given) {
    if (isExecutable(given)) return given
    throw new Error(`CHROMIUM_PATH names ${given}, which is not an executable file.`)
  }
  const { chromium } = await import('@playwright/test')
  const installed = [...SYSTEM_PATHS, chromium.executablePath()].find(isExecutable)
  return installed ?? unpackChromium()
}

/**
 * The npm package includes its system libraries, but only unpacks them, and adds them to LD_LIBRARY_PATH, if it
 * believes that it runs on Lambda.
 */
async function unpackChromium() {
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs22.x'
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    return await packaged.executablePath()
  } catch (error) {
    throw new Error(
      `The end-to-end tests need Chromium and found none (${error}). Install Chromium or Chrome, or set CHROMIUM_PATH to one.`,
    )
  }
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
