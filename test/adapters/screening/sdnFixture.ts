/** SDN lists in the form that OFAC publishes. */
export const sdnXml = (
  addresses: ReadonlyArray<string>,
  { between = "", publishedOn = "02/03/2026" }: { readonly publishedOn?: string; readonly between?: string } = {}
): string =>
  `<?xml version="1.0" standalone="yes"?>
<sdnList xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML">
  <publshInformation><Publish_Date>${publishedOn}</Publish_Date><Record_Count>${addresses.length}</Record_Count></publshInformation>
${addresses.map((address, index) => entry(address, index, between)).join("\n")}
</sdnList>
`

const entry = (
  address: string,
  index: number,
  between: string
) => `  <sdnEntry><uid>${index}</uid><lastName>DOE</lastName>
    <idList>
      <id><uid>1</uid><idType>Gender</idType><idNumber>Male</idNumber></id>
      <id><uid>2</uid><idType>Digital Currency Address - XBT</idType><idNumber>12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h</idNumber></id>
      <id><uid>3</uid><idType>Digital Currency Address - ETH</idType><idNumber>${address}</idNumber></id>
      <id><uid>4</uid><idType>Passport</idType><idNumber>0x1111111111111111111111111111111111111111</idNumber></id>
      <id><uid>5</uid><idType>Secondary sanctions risk:</idType></id>
    </idList>${between}
  </sdnEntry>`
