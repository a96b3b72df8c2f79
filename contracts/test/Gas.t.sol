// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { console } from "forge-std/console.sol";
import { ERC7821 } from "solady/accounts/ERC7821.sol";
import { SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepEntry } from "../src/interfaces/ISweepEntry.sol";
import { UniswapScene } from "./support/UniswapScene.sol";

/// @notice Gas of whole transactions, with intrinsic gas and refunds, compared with limits that no change may exceed.
/// @dev    The owner's whole balance is swept in a new block: two fee transfers to holders of the token, approval, and a
///         swap at 0.3 % in a pool that has traded before. `forge test --match-contract GasTest -vv` prints the table,
///         which is also kept in `snapshots/Gas.json`.
contract GasTest is UniswapScene {
    /// @dev EIP-7702: charged per authorization, and refunded when the account already exists.
    uint256 private constant AUTHORIZATION = 25_000;
    uint256 private constant AUTHORIZATION_REFUND = 12_500;
    /// @dev EIP-2929: gas that a call saves because an authorization already warmed its account.
    uint256 private constant WARM_ACCOUNT = 2500;

    function setUp() public {
        _scene();
        _deploy(weth, _one(address(router)), _none());
        tokenIn.mint(feeRecipient, 1e18);
        tokenIn.mint(builder, 1e18);
        _stock(owner, AMOUNT);
        address earlierTrader = makeAddr("earlier trader");
        _stock(earlierTrader, AMOUNT);
        _plainSwap(earlierTrader, AMOUNT);
    }

    function test_PlainAccount() public {
        _row("plain account, approve and swap, 2 transactions", _plainSwap(owner, AMOUNT));
    }

    function test_PlainAccountThatPaysFees() public {
        uint256 fees = _send(owner, address(tokenIn), abi.encodeCall(tokenIn.transfer, (feeRecipient, FEE)))
            + _send(owner, address(tokenIn), abi.encodeCall(tokenIn.transfer, (builder, BUILDER_FEE)));
        _row("plain account, fees too, 4 transactions", fees + _plainSwap(owner, REST));
    }

    function test_SelfBatch() public {
        _delegate(owner, _create(_released("BareBatcher")));
        ERC7821.Call[] memory calls = new ERC7821.Call[](4);
        calls[0].data = abi.encodeCall(tokenIn.transfer, (feeRecipient, FEE));
        calls[1].data = abi.encodeCall(tokenIn.transfer, (builder, BUILDER_FEE));
        calls[2].data = abi.encodeCall(tokenIn.approve, (address(router), REST));
        calls[3].data = _swapCall(REST, owner);
        calls[0].to = calls[1].to = calls[2].to = address(tokenIn);
        calls[3].to = address(router);
        bytes32 mode = bytes32(uint256(0x01000000000000000000) << 176);
        bytes memory data = abi.encodeCall(ERC7821.execute, (mode, abi.encode(calls)));
        _nextBlock();
        _row("self-batch on bare ERC-7821", _send(owner, owner, data));
    }

    function test_SingleSweep() public {
        _delegate(owner, address(delegate));
        _nextBlock();
        _executeCompact(_swapOrder(owner, 0));
        _bar("single, first nonce of a word", _spent(), 172_343);

        _stock(owner, AMOUNT);
        _nextBlock();
        _executeCompact(_swapOrder(owner, 1));
        _bar("single, word in use", _spent(), 153_700);
    }

    /// @dev A single order asks the guard of the first generation, if there is one, whether it ran there.
    function test_SingleSweepBesideAFirstGeneration() public {
        priorGuard = _create(
            abi.encodePacked(
                firstGeneration("sweepGuard"),
                abi.encode(admin, TIMELOCK, feeRecipient, weth, "Service", _one(address(router)))
            )
        );
        _deploy(weth, _one(address(router)), _none());
        _delegate(owner, address(delegate));
        _executeCompact(_swapOrder(owner, 0));
        _stock(owner, AMOUNT);
        _nextBlock();
        _executeCompact(_swapOrder(owner, 1));
        _row("single, word in use, beside a first generation", _spent());
    }

    function test_SingleSweepWithFreshDelegation() public {
        vm.deal(owner, 1);
        _nextBlock();
        SweepOrder memory order = _swapOrder(owner, 0);
        bytes memory signature = _signCompact(order, ownerKey);
        vm.signAndAttachDelegation(address(delegate), ownerKey);
        _execute(order, signature);
        _bar("single, fresh delegation", _withAuthorizations(1, 0), 184_867);
    }

    function test_BatchOfDelegatedAccounts() public {
        _bar("batch of 1", _batch(1, false), 180_515);
    }

    function test_BatchOfFiveDelegatedAccounts() public {
        _bar("batch of 5", _batch(5, false), 118_574);
    }

    function test_BatchOfTwentyDelegatedAccounts() public {
        _bar("batch of 20", _batch(20, false), 104_800);
    }

    function test_BatchWithFreshDelegation() public {
        _bar("batch of 1, fresh delegations", _batch(1, true), 190_527);
    }

    function test_BatchOfFiveWithFreshDelegations() public {
        _bar("batch of 5, fresh delegations", _batch(5, true), 132_608);
    }

    function test_BatchOfTwentyWithFreshDelegations() public {
        _bar("batch of 20, fresh delegations", _batch(20, true), 121_700);
    }

    function test_FeesOfOneRecipient() public {
        builderOfOrders = feeRecipient;
        _delegate(owner, address(delegate));
        _executeCompact(_swapOrder(owner, 0));
        _stock(owner, AMOUNT);
        _nextBlock();
        _executeCompact(_swapOrder(owner, 1));
        _bar("one fee recipient, single, word in use", _spent(), 146_000);
    }

    function test_FeesOfOneRecipientInABatch() public {
        builderOfOrders = feeRecipient;
        _bar("one fee recipient, batch of 20", _batch(20, false), 101_700);
    }

    function test_FeesOfOneRecipientInABatchWithFreshDelegations() public {
        builderOfOrders = feeRecipient;
        _bar("one fee recipient, batch of 20, fresh delegations", _batch(20, true), 119_200);
    }

    function test_PlainTransferToDelegatedAccount() public {
        _delegate(owner, address(delegate));
        vm.deal(relayer, 1 ether);
        vm.prank(relayer);
        (bool ok,) = owner.call{ value: 1 }("");
        assertTrue(ok);
        _bar("plain transfer to a delegated account", _spent(), 21_067);
    }

    /// @dev Gas per sweep of one transaction with `n` first sweeps of distinct owners.
    function _batch(uint256 n, bool fresh) private returns (uint256) {
        _nextBlock();
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](n);
        for (uint256 i; i < n; ++i) {
            (address account, uint256 key) = makeAddrAndKey(string.concat("owner ", vm.toString(i)));
            _stock(account, AMOUNT);
            vm.deal(account, 1);
            SweepOrder memory order = _swapOrder(account, 0);
            items[i] = _item(order, _signCompact(order, key), 400_000);
            if (fresh) vm.signAndAttachDelegation(address(delegate), key);
            else _delegate(account, address(delegate));
        }
        vm.prank(relayer);
        assertEq(entry.run(items), (1 << n) - 1);
        return (fresh ? _withAuthorizations(n, n * WARM_ACCOUNT) : _spent()) / n;
    }

    function _executeCompact(SweepOrder memory order) private {
        _execute(order, _signCompact(order, ownerKey));
    }

    function _nextBlock() private {
        vm.warp(block.timestamp + 12);
    }

    function _stock(address account, uint256 amount) private {
        tokenIn.mint(account, amount);
        tokenOut.mint(account, 1e18);
    }

    function _plainSwap(address account, uint256 amount) private returns (uint256) {
        _nextBlock();
        uint256 approval = _send(account, address(tokenIn), abi.encodeCall(tokenIn.approve, (address(router), amount)));
        return approval + _send(account, address(router), _swapCall(amount, account));
    }

    function _send(address from, address to, bytes memory data) private returns (uint256) {
        vm.prank(from);
        (bool ok,) = to.call(data);
        assertTrue(ok);
        return _spent();
    }

    /// @dev Gas of the last transaction, refunds deducted.
    function _spent() private view returns (uint256) {
        return vm.lastCallGas().gasTotalUsed;
    }

    /// @dev Isolated calls apply authorizations without charging for them or warming their accounts. So EIP-7702's
    ///      charge and refund are added and `warmed` is deducted, and EIP-3529's limit of refunds to a fifth of the gas
    ///      is applied to the sum.
    function _withAuthorizations(uint256 n, uint256 warmed) private view returns (uint256) {
        uint256 refund = uint64(vm.lastCallGas().gasRefunded);
        uint256 gross = _spent() + refund + n * AUTHORIZATION - warmed;
        refund += n * AUTHORIZATION_REFUND;
        return gross - (refund < gross / 5 ? refund : gross / 5);
    }

    function _bar(string memory name, uint256 gas, uint256 bar) private {
        _row(name, gas);
        assertLe(gas, bar, name);
    }

    function _row(string memory name, uint256 gas) private {
        vm.snapshotValue("Gas", name, gas);
        console.log(gas, name);
    }
}
