import { createNavigation } from 'next-intl/navigation'
import { routing } from './routing'

/** Links and navigation that keep the current language; hrefs are written without a prefix. */
export const { Link, getPathname, redirect, usePathname, useRouter } = createNavigation(routing)
