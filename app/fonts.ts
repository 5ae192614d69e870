import localFont from 'next/font/local'

/** The one typeface of the interface, served from this site (latin letters, weights 400 to 700). */
export const instrumentSans = localFont({
  src: '../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2',
  weight: '400 700',
  variable: '--font-instrument',
  display: 'swap',
  preload: true,
})
