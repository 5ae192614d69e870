import nextJest from 'next/jest.js'

const createJestConfig = nextJest({ dir: './' })

/** Tests run as ES modules (npm run test:unit passes --experimental-vm-modules). */
const config = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{app,components,lib,scripts,test,e2e}/**/*.test.{ts,tsx}', '<rootDir>/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.next/'],
  modulePathIgnorePatterns: ['<rootDir>/.next/', '<rootDir>/.data/'],
  // Jest leaves one core idle of its own accord; a test waits for its database as much as it computes.
  maxWorkers: '100%',
  // What a test file has loaded as modules is never let go of: a process that has grown makes way for a new one.
  workerIdleMemoryLimit: '1200MB',
  // A bound for what hangs, not for what is slow, on any machine.
  testTimeout: 180_000,
  setupFilesAfterEnv: ['<rootDir>/test/support/jest-set-up.ts'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: { '^server-only$': '<rootDir>/test/support/empty-module.ts', '^@/(.*)$': '<rootDir>/$1' },
  globalSetup: '<rootDir>/test/support/jest-global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/jest-global-teardown.mjs',
}

export default createJestConfig(config)
