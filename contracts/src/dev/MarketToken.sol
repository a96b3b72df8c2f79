// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice Token of the replayable market of a local network. Its kind decides how it treats its holders. Anyone may mint.
contract MarketToken {
    enum Kind {
        Plain,
        /// @dev Calls return nothing.
        Silent,
        /// @dev Burns a share of every transfer.
        Taxed,
        /// @dev Balances grow with each block.
        Rebasing,
        /// @dev Transfers revert.
        Paused,
        /// @dev Holders can transfer, and nobody can sell: `transferFrom` reverts.
        Blocked,
        /// @dev Sellers lose almost everything: `transferFrom` delivers a hundredth.
        Robbing,
        /// @dev `transferFrom` reverts in transactions that pay for gas, and works in a careless simulation.
        Watchful
    }

    uint256 private constant _BPS = 10_000;
    uint256 private constant _UNIT = 1e18;

    /// @dev Growth of balances for each block, as a part of {_UNIT}.
    uint256 private constant _GROWTH = 1e9;

    Kind public immutable KIND;
    uint256 public immutable TAX_BPS;
    uint8 public immutable decimals;

    /// @notice True once the kind counts. Until then the token is plain, so that its pools can be opened.
    bool public isArmed;

    mapping(address owner => mapping(address spender => uint256)) public allowance;
    mapping(address owner => uint256) private _shares;
    uint256 private _totalShares;

    /// @dev Bytes that `symbol()` and `name()` return.
    bytes private _text;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error Refused();

    constructor(Kind kind, uint8 decimals_, uint256 taxBps, bytes memory text) {
        KIND = kind;
        TAX_BPS = taxBps;
        decimals = decimals_;
        _text = text;
    }

    /// @notice Lets the kind count from now on.
    function arm() external {
        isArmed = true;
    }

    /// @notice Creates `amount` for `to`.
    function mint(address to, uint256 amount) external {
        uint256 shares = amount * _UNIT / _index();
        _totalShares += shares;
        _shares[to] += shares;
        emit Transfer(address(0), to, amount);
    }

    function symbol() external view {
        _returnText();
    }

    function name() external view {
        _returnText();
    }

    function totalSupply() external view returns (uint256) {
        return _totalShares * _index() / _UNIT;
    }

    function balanceOf(address account) public view returns (uint256) {
        return _shares[account] * _index() / _UNIT;
    }

    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        _returnTrue();
    }

    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value, _is(Kind.Taxed) ? TAX_BPS : 0);
        _returnTrue();
    }

    function transferFrom(address from, address to, uint256 value) external {
        if (_is(Kind.Blocked) || _is(Kind.Watchful) && tx.gasprice > 0) revert Refused();
        allowance[from][msg.sender] -= value;
        _move(from, to, value, _is(Kind.Taxed) ? TAX_BPS : _is(Kind.Robbing) ? _BPS - _BPS / 100 : 0);
        _returnTrue();
    }

    function _move(address from, address to, uint256 value, uint256 taxBps) private {
        if (_is(Kind.Paused)) revert Refused();
        uint256 shares = value * _UNIT / _index();
        uint256 tax = shares * taxBps / _BPS;
        _shares[from] -= shares;
        _shares[to] += shares - tax;
        _totalShares -= tax;
        emit Transfer(from, to, value - value * taxBps / _BPS);
    }

    function _index() private view returns (uint256) {
        return KIND == Kind.Rebasing ? _UNIT + block.number * _GROWTH : _UNIT;
    }

    function _is(Kind kind) private view returns (bool) {
        return KIND == kind && isArmed;
    }

    /// @dev Ends the call.
    function _returnText() private view {
        bytes memory text = _text;
        assembly ("memory-safe") {
            return(add(text, 32), mload(text))
        }
    }

    /// @dev Ends the call.
    function _returnTrue() private view {
        uint256 size = KIND == Kind.Silent ? 0 : 32;
        assembly ("memory-safe") {
            mstore(0, 1)
            return(0, size)
        }
    }
}
