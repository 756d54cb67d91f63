export interface BankAccount {
  readonly beneficiary: string;
  readonly address: string;
  readonly accountNumber: string;
  readonly purpose: string;
  readonly paymentCode: string;
}
