import environment from '@next/env'

/** Settings may also come from `.env` files, as in Next; import this first to have them all. */
environment.loadEnvConfig(process.cwd(), false)
