/** Those of Next's constants that its code in the browser reads; all of them, the server's too, would come otherwise. */
export const MATCHED_PATH_HEADER = 'x-matched-path'
export const NEXT_INTERCEPTION_MARKER_PREFIX = 'nxtI'
export const NEXT_NAV_DEPLOYMENT_ID_HEADER = 'x-nextjs-deployment-id'
export const NEXT_QUERY_PARAM_PREFIX = 'nxtP'
/** Of its development server. */
export const WEB_SOCKET_MAX_RECONNECTIONS = 12
