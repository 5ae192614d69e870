export { GET } from '../../v1/audio/voices/route'
