import { paidCall } from '@/lib/api/paid-calls'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'
/** The longest that every plan of the usual serverless host allows, in seconds. */
export const maxDuration = 300

export const POST = paidCall('images')
