import { startErrorReports } from '@/lib/telemetry/client/start-error-reports'

/** next.config loads this module before everything else in the browser (`instrumentationClientInject`). */
startErrorReports()
