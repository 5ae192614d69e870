/** It is shown in a line or two. Kept without schemas: pages read it too. */
export const REFILL_NAME_LENGTH_MAX = 80
