import environment from '@next/env'

/** Settings may also come from `.env` files, as in Next; import this first to have them all. */
environment.loadEnvConfig(process.cwd(), false)
// Nothing that imports this runs on Vercel, but `vercel env pull` writes its variables into a file: visitors could make
// up their address here, and nothing would be swept.
delete process.env.VERCEL
