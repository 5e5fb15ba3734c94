import { tidyAfterThisFile } from './after-file.ts'

tidyAfterThisFile()
