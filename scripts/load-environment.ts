import environment from '@next/env'

/** Settings may stand in `.env` files too, as Next has them: whoever imports this first finds them all. */
environment.loadEnvConfig(process.cwd(), false)
